import type { Json, JsonObject } from "../../base/json.ts";

/**
 * What a server may ask of the application while it works. What is absent is not offered to the
 * server, and refused where it asks all the same.
 *
 * A callback gets what the server asks for, all of it a stranger's words, and a scope that says for
 * whom and until when. While it answers, the time limits of calls stand still. What it throws never
 * reaches the server: that is told that there is no answer.
 */
export interface ServerCallbacks<Scope = ServerRequestScope> {
  /** The server wants something from the user: a form to fill in, or a page to visit. */
  readonly onElicitation?: Callback<Elicitation, ElicitationAnswer, Scope>;
  /** The server wants a language model to write something, at the application's cost. */
  readonly onSampling?: Callback<SamplingRequest, SamplingAnswer, Scope>;
  /**
   * The folders that the server may work in, or a function that gives them. Some servers work in
   * these instead of the ones they were started with.
   */
  readonly roots?: readonly McpRoot[] | ((scope: Scope) => Promisable<readonly McpRoot[]>);
}

/** For what and until when a server is answered. */
export interface ServerRequestScope {
  /** The alias of the server. */
  readonly server: string;
  /** Aborts when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
}

type Promisable<Value> = Value | Promise<Value>;
type Callback<Request, Answer, Scope> = (request: Request, scope: Scope) => Promisable<Answer>;

/** What a server wants from the user (MCP 2025-11-25, client/elicitation); `message` says why. */
export type Elicitation =
  | {
      readonly mode: "form";
      readonly message: string;
      /** A flat JSON Schema. What its properties have as `default` is filled in where the answer lacks it. */
      readonly requestedSchema: JsonObject;
    }
  | {
      /** Show the user the whole URL, and open it only when they agree: nothing here opens it. */
      readonly mode: "url";
      readonly message: string;
      readonly url: string;
      /** The host in `url`, in ASCII, to be shown apart: a long URL hides it. */
      readonly host: string;
    };

/** The user's answer: they agree, they say no, or they did not decide. */
export type ElicitationAnswer =
  | {
      readonly action: "accept";
      /** What was filled in. It must fit the schema, or it is not sent. Of a page there is none. */
      readonly content?: { readonly [name: string]: Json };
    }
  | { readonly action: "decline" | "cancel" };

/** What a server wants written (MCP 2025-11-25, client/sampling), as it sent it. */
export interface SamplingRequest extends JsonObject {
  readonly messages: readonly Json[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
}

/** What the model wrote. */
export interface SamplingAnswer extends JsonObject {
  readonly role: "assistant" | "user";
  /** A block of content as MCP has it, such as `{ type: "text", text }`. */
  readonly content: JsonObject;
  /** The name of the model. */
  readonly model: string;
  readonly stopReason?: string;
}

/** A folder or file that a server may work in. */
export interface McpRoot {
  /** A `file:` URL. */
  readonly uri: string;
  readonly name?: string;
}
