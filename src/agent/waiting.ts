import type { Json, JsonObject } from "../base/json.ts";

/** What a suspended run waits for; `id` is what a decision is given for. Plain JSON. */
export type Waiting = {
  /** Unique within the run, and the same each time the run is resumed. */
  readonly id: string;
  /** Names from the outermost assembly to the agent that waits. */
  readonly agentPath: readonly string[];
  /** When it is too late to decide, in milliseconds since the Unix epoch; then it counts as denied. */
  readonly expiresAt?: number;
} & (
  | {
      /** Whether a call may be made: `approve` or `deny`. */
      readonly kind: "approval";
      readonly call: WaitingCall;
      /** Why somebody is asked, as the policy said. */
      readonly reason?: string;
    }
  | {
      /** The process ended while the call was made, and nobody knows whether it took effect: `approve` makes it again. */
      readonly kind: "confirm-retry";
      readonly call: WaitingCall;
    }
  | {
      /**
       * The client is to execute the call: `answer` with any value, or with `{ content }`, the parts
       * that the model is to read; or `deny`, whose reason the model reads as the tool's failure.
       */
      readonly kind: "client-tool";
      readonly call: WaitingCall;
    }
  | {
      /** A server asks the user for something: `answer`, or `deny`. */
      readonly kind: "elicitation";
      readonly server: string;
      readonly message: string;
      /** The form to fill, as JSON Schema; absent where the user is to open `url`. */
      readonly schema?: JsonObject;
      readonly url?: string;
    }
);

/** The call that is waited for. */
export type WaitingCall = {
  /** The id that the model gave the call. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** The alias of the server, for a tool that has one. */
  readonly server?: string;
};

/** What somebody decides. */
export type Decision =
  | { readonly kind: "approve" }
  /** The model reads the reason. */
  | { readonly kind: "deny"; readonly reason?: string }
  | { readonly kind: "answer"; readonly value: Json };
