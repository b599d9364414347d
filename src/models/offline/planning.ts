import type { JsonObject } from "../../base/json.ts";
import type { ToolResultPart } from "../../message/content.ts";
import type { ToolDefinition } from "../../model/model.ts";
import type { Parameter } from "./parameters.ts";

/** A call that a plan wants to be made. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A call that was made, and what came of it. */
export interface Exchange {
  readonly call: PlannedCall;
  readonly result: ToolResultPart;
}

/** What became of one request of a message. `clause` is the request in its own words. */
export type Outcome =
  | ({ readonly kind: "done" | "failed"; readonly clause: string } & Exchange)
  | {
      readonly kind: "missing";
      readonly clause: string;
      readonly tool: ToolDefinition;
      readonly missing: readonly Parameter[];
    }
  | { readonly kind: "unmatched"; readonly clause: string };

/**
 * Steps towards something: it yields the calls that it needs and is given their results. It reads
 * nothing else, so that running it again with the recorded results comes to the same point.
 */
export type Plan<Result> = Generator<PlannedCall, Result, ToolResultPart>;

/** What a plan works with. */
export interface Planning {
  readonly message: string;
  readonly tools: readonly ToolDefinition[];
  /** What the user said before, the latest last. */
  readonly earlier: readonly string[];
  /** The folder that the server told earlier in the conversation. */
  readonly knownRoot: string | undefined;
  /** One entry for each request so far. */
  readonly outcomes: Outcome[];
}
