import type { TraceContext } from "../base/trace-context.ts";
import type { SpanDescription } from "./describe-operation.ts";
import type { SpanAttributes } from "./span-attributes.ts";

/** A span of whatever keeps spans. */
export interface SpanSink {
  /** Whether anybody will see what is written to it. */
  readonly isRecording: boolean;
  /** What its keeper's meters know the span by. */
  readonly place?: unknown;
  /** A child of it, or of `parent`. */
  start(description: SpanDescription, parent: TraceContext | undefined): SpanSink;
  setAttributes(attributes: SpanAttributes): void;
  setAttribute(key: string, value: string | number): void;
  addEvent(name: string, attributes: SpanAttributes): void;
  /** Writes a log record of that event, where anybody takes any. @returns whether somebody does. */
  log(event: LoggedEvent): boolean;
  link(other: TraceContext): void;
  /** Its status is that of a failure. @param description what may be said of it. */
  fail(description: string | undefined): void;
  end(): void;
  run<Value>(work: () => Value): Value;
  /** @param withBaggage whether what the application has attached is told too. */
  context(withBaggage: boolean): TraceContext | undefined;
}

/** An event of OpenTelemetry's, which is a log record with a name. */
export interface LoggedEvent {
  readonly name: string;
  readonly severity: "debug" | "warn";
  /** JSON values: what was said stands there as it is, and not as text. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What keeps spans. */
export interface SpanKeeper {
  /** A span that is part of `parent`, else of what is going on around it, else of nothing. */
  start(description: SpanDescription, parent: TraceContext | undefined): SpanSink;
}
