import type { TraceOperation, TraceOutcome } from "../base/trace-operation.ts";
import { completed, outcomeOfThrown } from "../base/trace-outcome.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import { Suspension } from "./suspension.ts";

/** What a traced operation is part of. */
export interface TracedScope {
  /** `undefined` where nobody traces. */
  readonly span: ActiveSpan | undefined;
  /** By which it is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * Does some work as an operation of its own, where somebody traces.
 *
 * @param outcomeOf how it ended where it threw nothing. Default: completed.
 */
export function traced<Value>(
  { span, signal }: TracedScope,
  operation: () => TraceOperation,
  work: (span: ActiveSpan | undefined) => Promise<Value>,
  outcomeOf?: (value: Value) => TraceOutcome,
): Promise<Value> {
  return span === undefined
    ? work(undefined)
    : within(span.start(operation()), { signal, work, outcomeOf });
}

interface TracedWork<Value> {
  readonly signal: AbortSignal;
  readonly work: (span: ActiveSpan | undefined) => Promise<Value>;
  readonly outcomeOf: ((value: Value) => TraceOutcome) | undefined;
}

async function within<Value>(
  span: ActiveSpan,
  { signal, work, outcomeOf }: TracedWork<Value>,
): Promise<Value> {
  try {
    const value = await span.run(() => work(span));
    span.end(outcomeOf?.(value) ?? completed);
    return value;
  } catch (thrown) {
    span.end(
      thrown instanceof Suspension ? { kind: "suspended" } : outcomeOfThrown(thrown, signal),
    );
    throw thrown;
  }
}
