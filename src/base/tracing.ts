import type { TraceContext } from "./trace-context.ts";
import type {
  TraceContent,
  TraceEvent,
  TraceFacts,
  TraceOperation,
  TraceOutcome,
} from "./trace-operation.ts";

/**
 * Is told of the operations of runs, as they begin and end. What it throws is logged and harms no run;
 * it is called in the middle of the work, and so must be quick. `OpenTelemetryTracing` of
 * `dragoman/otel` is one.
 */
export interface Tracer {
  /**
   * An operation begins that is part of no other.
   *
   * @param parent the trace that it belongs to. Default: what is going on around it, where the tracer
   *   knows of that, else a trace of its own.
   */
  start(operation: TraceOperation, parent: TraceContext | undefined): ActiveSpan;
}

/** An operation that goes on. Where there is no tracer there is none of these, and nothing is made for it. */
export interface ActiveSpan {
  /**
   * An operation begins within this one; also after this one's end.
   *
   * @param parent the trace that it belongs to instead.
   */
  start(operation: TraceOperation, parent?: TraceContext): ActiveSpan;
  /** Something has become known. */
  set(facts: TraceFacts): void;
  event(event: TraceEvent): void;
  /** Offers what somebody said; `value` is called only where the tracer may have it. */
  capture(content: TraceContent, value: () => unknown): void;
  /** The operation goes on with what another one has begun. */
  link(other: TraceContext): void;
  /** Does some work with the operation as what is going on around it, for libraries that ask for that. */
  run<Value>(work: () => Value): Value;
  /**
   * What a request carries so that its server can go on with the trace.
   *
   * @param server the alias of the MCP server it goes to: only those that the application trusts get
   *   baggage.
   */
  context(server?: string): TraceContext | undefined;
  /** Called once. */
  end(outcome: TraceOutcome): void;
}
