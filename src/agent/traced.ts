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
export async function traced<Value>(
  { span: outer, signal }: TracedScope,
  operation: () => TraceOperation,
  work: (span: ActiveSpan | undefined) => Promise<Value>,
  outcomeOf?: (value: Value) => TraceOutcome,
): Promise<Value> {
  if (outer === undefined) {
    return work(undefined);
  }
  const span = outer.start(operation());
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
