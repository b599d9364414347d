import { messageOf } from "./dragoman-error.ts";
import type { Logger } from "./logger.ts";
import type { TraceContext } from "./trace-context.ts";
import type {
  TraceContent,
  TraceEvent,
  TraceFacts,
  TraceOperation,
  TraceOutcome,
} from "./trace-operation.ts";
import type { ActiveSpan, Tracer } from "./tracing.ts";

/**
 * Several tracers as one that never throws: what one of them throws is logged the first time, and the
 * others are told all the same.
 *
 * @returns `undefined` for none.
 */
export function groupTracers(tracers: readonly Tracer[], logger: Logger): Tracer | undefined {
  return tracers.length === 0 ? undefined : guarded(tracers, new Guard(logger));
}

const guarded = (tracers: readonly Tracer[], guard: Guard): Tracer => ({
  start: (operation, parent) =>
    new SpanGroup(
      tracers.map((tracer) => guard.call(() => tracer.start(operation, parent))),
      guard,
    ),
});

/** Calls tracers so that their failures harm nobody. */
class Guard {
  readonly #logger: Logger;
  #hasTold = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  call<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (thrown) {
      this.tell(thrown);
      return undefined;
    }
  }

  /** Logs the first failure of all. */
  tell(thrown: unknown): void {
    if (!this.#hasTold) {
      this.#hasTold = true;
      this.#logger.warn(
        `A tracer failed, and will not be told of all that happens: ${messageOf(thrown)}`,
      );
    }
  }
}

/** One operation, as each tracer has it; `undefined` where one failed to begin it. */
class SpanGroup implements ActiveSpan {
  readonly #spans: readonly (ActiveSpan | undefined)[];
  readonly #guard: Guard;

  constructor(spans: readonly (ActiveSpan | undefined)[], guard: Guard) {
    this.#spans = spans;
    this.#guard = guard;
  }

  start(operation: TraceOperation, parent?: TraceContext): ActiveSpan {
    const guard = this.#guard;
    return new SpanGroup(
      this.#spans.map((span) => guard.call(() => span?.start(operation, parent))),
      guard,
    );
  }

  set(facts: TraceFacts): void {
    this.#each((span) => span.set(facts));
  }

  /** Called for each piece of an answer, and so without a closure. */
  event(event: TraceEvent): void {
    for (const span of this.#spans) {
      try {
        span?.event(event);
      } catch (thrown) {
        this.#guard.tell(thrown);
      }
    }
  }

  capture(content: TraceContent, value: () => unknown): void {
    this.#each((span) => span.capture(content, value));
  }

  link(other: TraceContext): void {
    this.#each((span) => span.link(other));
  }

  run<Value>(work: () => Value): Value {
    let inner = work;
    for (const span of this.#spans) {
      if (span !== undefined) {
        const outer = inner;
        inner = () => this.#within(span, outer);
      }
    }
    return inner();
  }

  context(server?: string): TraceContext | undefined {
    for (const span of this.#spans) {
      const context = this.#guard.call(() => span?.context(server));
      if (context !== undefined) {
        return context;
      }
    }
    return undefined;
  }

  end(outcome: TraceOutcome): void {
    this.#each((span) => span.end(outcome));
  }

  #each(tell: (span: ActiveSpan) => void): void {
    for (const span of this.#spans) {
      if (span !== undefined) {
        this.#guard.call(() => tell(span));
      }
    }
  }

  /** The work is done exactly once, and what it throws is its own, whatever the tracer does. */
  #within<Value>(span: ActiveSpan, work: () => Value): Value {
    let done: { readonly value: Value } | { readonly thrown: unknown } | undefined;
    const once = (): Value => {
      try {
        const value = work();
        done = { value };
        return value;
      } catch (thrown) {
        done = { thrown };
        throw thrown;
      }
    };
    this.#guard.call(() => {
      try {
        span.run(once);
      } catch (thrown) {
        if (done === undefined || "value" in done) {
          throw thrown; // the tracer's
        }
      }
    });
    const end = done ?? { value: work() };
    if ("thrown" in end) {
      throw end.thrown;
    }
    return end.value;
  }
}
