import type { TraceContext } from "../base/trace-context.ts";
import type { TraceFacts, TraceOutcome } from "../base/trace-operation.ts";
import { errorTypeOf, rpcStatusOf } from "../base/trace-outcome.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { CountedFailure, Measured } from "./measured.ts";
import type { SpanSink } from "./span-sink.ts";

/** What an operation without a span passes on to the one that it is part of. */
export interface OuterSpan {
  set(facts: TraceFacts): void;
  failed(failure: CountedFailure): void;
  context(server?: string): TraceContext | undefined;
}

/** An operation that is measured and has no span of its own. */
export class UnseenSpan implements ActiveSpan {
  readonly #measured: Measured;
  readonly #sink: SpanSink;
  readonly #outer: OuterSpan | undefined;

  constructor(measured: Measured, sink: SpanSink, outer?: OuterSpan) {
    this.#measured = measured;
    this.#sink = sink;
    this.#outer = outer;
  }

  start(): ActiveSpan {
    return this;
  }

  set(facts: TraceFacts): void {
    this.#measured.set(facts);
    this.#outer?.set(facts);
  }

  event(): void {}

  capture(): void {}

  link(): void {}

  run<Value>(work: () => Value): Value {
    return this.#sink.run(work);
  }

  context(server?: string): TraceContext | undefined {
    return this.#outer?.context(server);
  }

  end(outcome: TraceOutcome): void {
    if (outcome.kind !== "failed") {
      this.#measured.end(undefined);
      return;
    }
    const { error, type = errorTypeOf(error) } = outcome;
    const failure = { type, rpcStatus: rpcStatusOf(error) };
    this.#outer?.failed(failure);
    this.#measured.end(failure);
  }
}
