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
  if (tracers.length === 0) {
    return undefined;
  }
  const guard = new Guard(logger);
  const members = tracers.map((tracer) => guarded(tracer, guard));
  return members.length > 1 ? together(members) : members[0];
}

/** Tells of failures of tracers, once. */
class Guard {
  readonly #logger: Logger;
  #hasTold = false;

  constructor(logger: Logger) {
    this.#logger = logger;
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

const guarded = (tracer: Tracer, guard: Guard): Tracer => ({
  start(operation, parent) {
    try {
      return new GuardedSpan(tracer.start(operation, parent), guard);
    } catch (thrown) {
      guard.tell(thrown);
      return new GuardedSpan(undefined, guard);
    }
  },
});

/**
 * An operation of a tracer that may throw; `undefined` where it failed to begin it. Its methods are called
 * for each piece of an answer, and so make no closures where they can do without.
 */
class GuardedSpan implements ActiveSpan {
  readonly #span: ActiveSpan | undefined;
  readonly #guard: Guard;

  constructor(span: ActiveSpan | undefined, guard: Guard) {
    this.#span = span;
    this.#guard = guard;
  }

  start(operation: TraceOperation, parent?: TraceContext): ActiveSpan {
    try {
      return new GuardedSpan(this.#span?.start(operation, parent), this.#guard);
    } catch (thrown) {
      this.#guard.tell(thrown);
      return new GuardedSpan(undefined, this.#guard);
    }
  }

  set(facts: TraceFacts): void {
    try {
      this.#span?.set(facts);
    } catch (thrown) {
      this.#guard.tell(thrown);
    }
  }

  event(event: TraceEvent): void {
    try {
      this.#span?.event(event);
    } catch (thrown) {
      this.#guard.tell(thrown);
    }
  }

  capture(content: TraceContent, value: () => unknown): void {
    try {
      this.#span?.capture(content, value);
    } catch (thrown) {
      this.#guard.tell(thrown);
    }
  }

  link(other: TraceContext): void {
    try {
      this.#span?.link(other);
    } catch (thrown) {
      this.#guard.tell(thrown);
    }
  }

  /** The work is done exactly once, and what it throws is its own, whatever the tracer does. */
  run<Value>(work: () => Value): Value {
    if (this.#span === undefined) {
      return work();
    }
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
    try {
      this.#span.run(once);
    } catch (thrown) {
      if (done === undefined || "value" in done) {
        this.#guard.tell(thrown); // the tracer's
      }
    }
    const end = done ?? { value: work() };
    if ("thrown" in end) {
      throw end.thrown;
    }
    return end.value;
  }

  context(server?: string): TraceContext | undefined {
    try {
      return this.#span?.context(server);
    } catch (thrown) {
      this.#guard.tell(thrown);
      return undefined;
    }
  }

  end(outcome: TraceOutcome): void {
    try {
      this.#span?.end(outcome);
    } catch (thrown) {
      this.#guard.tell(thrown);
    }
  }
}

const together = (tracers: readonly Tracer[]): Tracer => ({
  start: (operation, parent) =>
    new SpanGroup(tracers.map((tracer) => tracer.start(operation, parent))),
});

/** One operation as several tracers have it, none of which throws. */
class SpanGroup implements ActiveSpan {
  readonly #spans: readonly ActiveSpan[];

  constructor(spans: readonly ActiveSpan[]) {
    this.#spans = spans;
  }

  start(operation: TraceOperation, parent?: TraceContext): ActiveSpan {
    return new SpanGroup(this.#spans.map((span) => span.start(operation, parent)));
  }

  set(facts: TraceFacts): void {
    for (const span of this.#spans) {
      span.set(facts);
    }
  }

  event(event: TraceEvent): void {
    for (const span of this.#spans) {
      span.event(event);
    }
  }

  capture(content: TraceContent, value: () => unknown): void {
    for (const span of this.#spans) {
      span.capture(content, value);
    }
  }

  link(other: TraceContext): void {
    for (const span of this.#spans) {
      span.link(other);
    }
  }

  run<Value>(work: () => Value): Value {
    const all = this.#spans.reduce<() => Value>((inner, span) => () => span.run(inner), work);
    return all();
  }

  context(server?: string): TraceContext | undefined {
    for (const span of this.#spans) {
      const context = span.context(server);
      if (context !== undefined) {
        return context;
      }
    }
    return undefined;
  }

  end(outcome: TraceOutcome): void {
    for (const span of this.#spans) {
      span.end(outcome);
    }
  }
}
