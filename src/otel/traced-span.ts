import type { TraceContext } from "../base/trace-context.ts";
import type {
  TraceContent,
  TraceEvent,
  TraceFacts,
  TraceOperation,
  TraceOutcome,
} from "../base/trace-operation.ts";
import { errorTypeOf } from "../base/trace-outcome.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import {
  type ContentCapture,
  captured,
  capturedException,
  contentEvent,
} from "./content-capture.ts";
import { eventNames, names } from "./conventions.ts";
import { describeEvent, describeFacts } from "./describe-facts.ts";
import {
  type DescriptionOptions,
  describeDetails,
  describeOperation,
} from "./describe-operation.ts";
import { Measured, type Meters } from "./measured.ts";
import type { SpanKeeper, SpanSink } from "./span-sink.ts";

/** What spans are made with. */
export interface SpanSettings extends DescriptionOptions {
  readonly capture: ContentCapture | undefined;
  /** Whether a request for a tool call has a span beneath that of the tool. */
  readonly separateMcpSpans: boolean;
  /** Whether that MCP server gets baggage. */
  isTrusted(server: string): boolean;
  readonly meters: Meters | undefined;
}

/** Begins an operation that is part of no other of ours. */
export function startSpan(
  keeper: SpanKeeper,
  operation: TraceOperation,
  parent: TraceContext | undefined,
  settings: SpanSettings,
): ActiveSpan {
  const sink = keeper.start(describeOperation(operation, settings), parent);
  return new TracedSpan(operation, sink, settings);
}

/** An operation as a span in OpenTelemetry's words, whoever keeps it. */
class TracedSpan implements ActiveSpan {
  readonly #operation: TraceOperation;
  readonly #sink: SpanSink;
  readonly #settings: SpanSettings;
  readonly #measured: Measured;
  /** What a request that has no span of its own failed with. */
  #errorType: string | undefined;
  /** What comes later, of work that was given up, is not written. */
  #isOpen = true;

  constructor(operation: TraceOperation, sink: SpanSink, settings: SpanSettings, outer?: Measured) {
    this.#operation = operation;
    this.#sink = sink;
    this.#settings = settings;
    this.#measured = new Measured(operation, settings, outer);
    if (sink.isRecording) {
      sink.setAttributes(describeDetails(operation, settings));
    }
  }

  start(operation: TraceOperation, parent?: TraceContext): ActiveSpan {
    const settings = this.#settings;
    if (operation.kind === "mcp-session") {
      return new UnseenSpan(new Measured(operation, settings, this.#measured), this.#sink);
    }
    if (this.#isSameAs(operation)) {
      return new UnseenSpan(new Measured(operation, settings, this.#measured), this.#sink, {
        set: (facts) => this.set(facts),
        failed: (type) => {
          this.#errorType = type;
          if (this.#isWritten && /^-?\d+$/.test(type)) {
            this.#sink.setAttribute(names.statusCode, type);
          }
        },
        context: (server) => this.context(server),
      });
    }
    const sink = this.#sink.start(describeOperation(operation, settings), parent);
    return new TracedSpan(operation, sink, settings, this.#measured);
  }

  set(facts: TraceFacts): void {
    this.#measured.set(facts);
    if (this.#isWritten) {
      this.#sink.setAttributes(describeFacts(facts, this.#settings));
    }
  }

  event(event: TraceEvent): void {
    if (event.kind === "chunk") {
      const seconds = this.#measured.chunk();
      if (seconds !== undefined && this.#isWritten) {
        this.#sink.setAttribute(names.timeToFirstChunk, seconds);
      }
      return;
    }
    const described = this.#isWritten ? describeEvent(event) : undefined;
    if (described !== undefined) {
      this.#sink.addEvent(described.name, described.attributes);
    }
  }

  capture(content: TraceContent, value: () => unknown): void {
    const { capture } = this.#settings;
    if (capture === undefined || !this.#isWritten) {
      return;
    }
    const values = captured(content, value(), capture);
    const attributes = Object.fromEntries(values.map(({ key, text }) => [key, text]));
    if (values.length > 0 && capture.as === "events") {
      this.#sink.addEvent(contentEvent, attributes);
    } else {
      this.#sink.setAttributes(attributes);
    }
  }

  link(other: TraceContext): void {
    this.#sink.link(other);
  }

  run<Value>(work: () => Value): Value {
    return this.#sink.run(work);
  }

  context(server?: string): TraceContext | undefined {
    return this.#sink.context(server !== undefined && this.#settings.isTrusted(server));
  }

  end(outcome: TraceOutcome): void {
    const type =
      outcome.kind === "failed"
        ? (this.#errorType ?? outcome.type ?? errorTypeOf(outcome.error))
        : undefined;
    if (this.#isWritten) {
      this.#write(outcome, type);
    }
    this.#isOpen = false;
    this.#sink.end();
    this.#measured.end(type);
  }

  get #isWritten(): boolean {
    return this.#isOpen && this.#sink.isRecording;
  }

  #write(outcome: TraceOutcome, type: string | undefined): void {
    if (this.#operation.kind === "agent") {
      this.#sink.setAttribute(names.outcome, outcome.kind);
    } else if (outcome.kind === "cancelled" || outcome.kind === "suspended") {
      this.#sink.setAttribute("dragoman.outcome", outcome.kind);
    }
    if (outcome.kind === "failed" && type !== undefined) {
      const { capture } = this.#settings;
      const { error } = outcome;
      const exception = error instanceof Error && /^\w{1,64}$/.test(error.name) ? error.name : type;
      this.#sink.addEvent(eventNames.exception, {
        [names.exceptionType]: exception,
        ...(capture === undefined ? {} : capturedException(error, capture)),
      });
      this.#sink.setAttribute(names.errorType, type);
      this.#sink.fail(type);
    }
  }

  /** The conventions want one span for a call of an MCP tool, and not a second for its request. */
  #isSameAs(operation: TraceOperation): boolean {
    return (
      !this.#settings.separateMcpSpans &&
      operation.kind === "mcp-request" &&
      operation.method === "tools/call" &&
      this.#operation.kind === "tool" &&
      this.#operation.source !== undefined
    );
  }
}

/** What an operation without a span passes on to the one that it is part of. */
interface OuterSpan {
  set(facts: TraceFacts): void;
  failed(type: string): void;
  context(server?: string): TraceContext | undefined;
}

/** An operation that is measured and has no span of its own. */
class UnseenSpan implements ActiveSpan {
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
    const type =
      outcome.kind === "failed" ? (outcome.type ?? errorTypeOf(outcome.error)) : undefined;
    if (type !== undefined) {
      this.#outer?.failed(type);
    }
    this.#measured.end(type);
  }
}
