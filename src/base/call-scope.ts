import type { Logger } from "./logger.ts";

/** What bounds one piece of work, and so all that it does further on. A `ToolCall` is one. */
export interface CallScope {
  /** Aborts when the work is no longer wanted. */
  readonly signal: AbortSignal;
  /** When it must have ended, in milliseconds since the Unix epoch. */
  readonly deadline?: number;
  /** The W3C trace context that the work belongs to: `traceparent`, `tracestate`, `baggage`. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
  /** Who is told of what goes wrong in it. */
  readonly logger?: Logger;
}
