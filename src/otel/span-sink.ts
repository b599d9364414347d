import type { TraceContext } from "../base/trace-context.ts";
import type { SpanDescription } from "./describe-operation.ts";
import type { SpanAttributes } from "./span-attributes.ts";

/** A span of whatever keeps spans. */
export interface SpanSink {
  /** Whether anybody will see what is written to it. */
  readonly isRecording: boolean;
  /** A child of it, or of `parent`. */
  start(description: SpanDescription, parent: TraceContext | undefined): SpanSink;
  setAttributes(attributes: SpanAttributes): void;
  setAttribute(key: string, value: string | number): void;
  addEvent(name: string, attributes: SpanAttributes): void;
  link(other: TraceContext): void;
  /** Its status is that of a failure; `type` says which. */
  fail(type: string): void;
  end(): void;
  run<Value>(work: () => Value): Value;
  /** @param withBaggage whether what the application has attached is told too. */
  context(withBaggage: boolean): TraceContext | undefined;
}

/** What keeps spans. */
export interface SpanKeeper {
  /** A span that is part of `parent`, else of what is going on around it, else of nothing. */
  start(description: SpanDescription, parent: TraceContext | undefined): SpanSink;
}
