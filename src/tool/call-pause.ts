import type { Json, JsonObject } from "../base/json.ts";

/** What a person is asked in the middle of a call. */
export type UserQuestion = {
  /** The alias of the server that asks. */
  readonly server: string;
  readonly message: string;
  /** The form to fill, as JSON Schema; absent where the user is to open `url`. */
  readonly schema?: JsonObject;
  readonly url?: string;
};

/** What the person has answered. */
export type UserAnswer =
  | { readonly kind: "answer"; readonly value: Json }
  | { readonly kind: "deny"; readonly reason?: string };

/**
 * Puts a call aside until somebody has answered, and with it the run, also beyond the end of its
 * process. The call is executed again then: what it needs to go on from there is kept before it asks.
 */
export interface CallPause {
  /** What was kept last by an earlier execution of this call; `undefined` where nothing was. */
  kept(): Promise<Json | undefined>;
  /** Keeps what the call will go on from. No credential. */
  keep(value: Json): Promise<void>;
  /**
   * The answer to one of the questions that belong to what was kept last.
   *
   * @param index tells the questions apart.
   * @throws where nobody has answered yet: the call must let that rise.
   */
  ask(question: UserQuestion, index: number): Promise<UserAnswer>;
}
