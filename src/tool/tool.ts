import type { JsonSchema } from "../base/json-schema.ts";
import type { Logger } from "../base/logger.ts";
import type { Schema } from "../base/schema.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { Binding } from "./binding.ts";
import type { CallPause } from "./call-pause.ts";

/** How far a tool has come. */
export type ToolProgress = {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
};

/** One call of a tool, as the tool sees it. */
export interface ToolCall<Context = unknown> {
  /** The id that the model gave the call. */
  readonly id: string;
  readonly binding: Binding<Context>;
  /** Aborts when the run is cancelled, its deadline passes or the tool's own time is over. */
  readonly signal: AbortSignal;
  /** When the call must have ended, in milliseconds since the Unix epoch. */
  readonly deadline?: number;
  /** The same for each try of this call, different for every other call of any run. */
  readonly idempotencyKey: string;
  /** The call's operation, where somebody traces: what the tool does further on can be part of it. */
  readonly span?: ActiveSpan | undefined;
  /** What requests to others carry, so that they go on with the trace; `httpClientFor` sends it. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
  /** Where the application is told what its operators should know: `configure({ logger })`. */
  readonly logger?: Logger;
  /** Reports progress to whoever watches the run. */
  progress(progress: ToolProgress): void;
  /** Lets the call wait for a person without holding anything open; absent where that cannot be. */
  readonly pause?: CallPause;
}

/** Where a tool comes from, if it is not the application's own. */
export interface ToolSource {
  /** The alias of the server in this application. */
  readonly server: string;
  /** The server's own name of the tool, which is what it is called by. */
  readonly name: string;
}

/** Hints on what a tool does. From a server they are claims: they may tighten a policy, not loosen it. */
export interface ToolAnnotations {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** What {@link Tool.with} can change. */
export interface ToolChanges {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
}

/**
 * Something that an agent can do.
 *
 * `execute` gets checked input and returns a value, a `ToolResult`, or throws. What it throws becomes
 * an error result that the model reads, and the run goes on, save for cancellation, a passed deadline
 * and a `ConfigurationError`. It may be called several times at once.
 */
export interface Tool<Input = unknown, Output = unknown> {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: Schema<Input>;
  /** `inputSchema` as JSON Schema: what the model is shown. */
  readonly parameters: JsonSchema;
  readonly outputSchema?: Schema<Output> | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Whether a second try with the same arguments does no harm. */
  readonly idempotent: boolean;
  /**
   * Whether its work consists of steps of the run, which are recorded one by one, so that the call
   * itself is none: an agent that is asked by another. It is waited for also where its signal has
   * aborted, and so must end soon after.
   */
  readonly nested: boolean;
  /** Whether the model is not asked again after a call that succeeded: the tool ends its run. */
  readonly ends?: boolean | undefined;
  /** The longest that one call may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  readonly source?: ToolSource | undefined;
  execute(input: Input, call: ToolCall): Promise<unknown>;
  /** The same tool with some of its properties replaced; its source stays. */
  with(changes: ToolChanges): Tool<Input, Output>;
}

/** Whether `value` is a tool. */
export function isTool(value: unknown): value is Tool {
  return (
    typeof value === "object" &&
    value !== null &&
    "execute" in value &&
    "parameters" in value &&
    "with" in value
  );
}
