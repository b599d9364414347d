import type { TraceContext } from "../base/trace-context.ts";
import type {
  TraceContent,
  TraceEvent,
  TraceFacts,
  TraceOperation,
  TraceOutcome,
} from "../base/trace-operation.ts";
import { errorTypeOf, rpcStatusOf } from "../base/trace-outcome.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import { type ContentCapture, captured, capturedException } from "./content-capture.ts";
import { ContentEvent } from "./content-event.ts";
import { type Conventions, eventNames, names } from "./conventions.ts";
import { describeEvent, describeFacts } from "./describe-facts.ts";
import {
  type DescriptionOptions,
  describeDetails,
  describeOperation,
} from "./describe-operation.ts";
import { type CountedFailure, Measured, type Meters } from "./measured.ts";
import type { SpanAttributes } from "./span-attributes.ts";
import type { SpanKeeper, SpanSink } from "./span-sink.ts";
import { UnseenSpan } from "./unseen-span.ts";

/** What spans are made with. */
export interface SpanSettings extends DescriptionOptions {
  readonly capture: ContentCapture | undefined;
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
  const description = describeOperation(operation, settings);
  const sink = keeper.start(description, parent);
  return new TracedSpan(operation, { sink, settings, first: description.attributes });
}

/** What a span is made of. */
interface SpanParts {
  readonly sink: SpanSink;
  readonly settings: SpanSettings;
  /** The attributes that it has been begun with. */
  readonly first: SpanAttributes;
  readonly outer?: Measured;
}

/** An operation as a span in OpenTelemetry's words, whoever keeps it. */
class TracedSpan implements ActiveSpan {
  readonly #operation: TraceOperation;
  readonly #sink: SpanSink;
  readonly #settings: SpanSettings;
  readonly #measured: Measured;
  /** What was said, where that is an event of its own. */
  readonly #said: ContentEvent | undefined;
  /** What a request that has no span of its own failed with. */
  #requestFailure: CountedFailure | undefined;
  #hasFinishReason = false;
  /** What comes later, of work that was given up, is not written. */
  #isOpen = true;

  constructor(operation: TraceOperation, { sink, settings, first, outer }: SpanParts) {
    this.#operation = operation;
    this.#sink = sink;
    this.#settings = settings;
    this.#measured = new Measured(operation, settings, sink, outer);
    if (sink.isRecording) {
      this.#said = ContentEvent.of(operation, settings.capture);
      this.#said?.know(first);
      this.#write(describeDetails(operation, settings));
    }
  }

  start(operation: TraceOperation, parent?: TraceContext): ActiveSpan {
    const settings = this.#settings;
    if (operation.kind === "mcp-session") {
      return new UnseenSpan(this.#measuredWithin(operation), this.#sink);
    }
    if (this.#isSameAs(operation)) {
      return new UnseenSpan(this.#measuredWithin(operation), this.#sink, {
        set: (facts) => this.set(facts),
        failed: (failure) => {
          this.#requestFailure = failure;
        },
        context: (server) => this.context(server),
      });
    }
    const description = describeOperation(operation, settings);
    return new TracedSpan(operation, {
      sink: this.#sink.start(description, parent),
      settings,
      first: description.attributes,
      outer: this.#measured,
    });
  }

  set(facts: TraceFacts): void {
    this.#measured.set(facts);
    if (this.#isWritten) {
      this.#hasFinishReason ||= facts.finishReason !== undefined;
      this.#write(describeFacts(facts, this.#operation.kind, this.#settings));
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
    const { capture, conventions } = this.#settings;
    if (capture === undefined || !this.#isWritten) {
      return;
    }
    const values = captured(content, value(), capture, conventions);
    if (this.#said !== undefined) {
      this.#said.add(values);
      return;
    }
    for (const { key, text } of values) {
      this.#sink.setAttribute(key, text);
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
    const failure = this.#failureOf(outcome);
    if (this.#isWritten) {
      this.#writeOutcome(outcome);
      if (outcome.kind === "failed" && failure !== undefined) {
        this.#writeFailure(outcome.error, failure);
      }
      this.#said?.writeTo(this.#sink);
    }
    this.#isOpen = false;
    this.#sink.end();
    this.#measured.end(failure);
  }

  get #isWritten(): boolean {
    return this.#isOpen && this.#sink.isRecording;
  }

  #measuredWithin(operation: TraceOperation): Measured {
    return new Measured(operation, this.#settings, this.#sink, this.#measured);
  }

  #write(attributes: SpanAttributes): void {
    this.#sink.setAttributes(attributes);
    this.#said?.know(attributes);
  }

  #failureOf(outcome: TraceOutcome): CountedFailure | undefined {
    if (outcome.kind !== "failed") {
      return undefined;
    }
    const { error, type = errorTypeOf(error) } = outcome;
    return this.#requestFailure ?? { type, rpcStatus: rpcStatusOf(error) };
  }

  #writeOutcome({ kind }: TraceOutcome): void {
    if (this.#operation.kind === "agent") {
      this.#sink.setAttribute(names.runOutcome, kind);
    } else if (kind === "cancelled" || kind === "suspended") {
      this.#sink.setAttribute(names.outcome, kind);
    }
  }

  #writeFailure(error: unknown, { type, rpcStatus }: CountedFailure): void {
    const { capture, conventions } = this.#settings;
    const { kind } = this.#operation;
    this.#write({ [names.errorType]: type });
    if (rpcStatus !== undefined && (kind === "tool" || kind.startsWith("mcp-"))) {
      this.#sink.setAttribute(names.statusCode, rpcStatus);
    }
    if (kind === "model" && !this.#hasFinishReason) {
      this.#write({ [names.finishReasons]: ["error"] });
    }
    const told = capture === undefined ? {} : capturedException(error, capture);
    const name = error instanceof Error && /^\w{1,64}$/.test(error.name) ? error.name : type;
    const attributes = { [names.exceptionType]: name, ...told };
    const logged = exceptionEventOf(kind, conventions);
    if (logged === undefined || !this.#sink.log({ name: logged, severity: "warn", attributes })) {
      this.#sink.addEvent(eventNames.exception, attributes);
    }
    const message = told[names.exceptionMessage];
    this.#sink.fail(typeof message === "string" ? message : undefined);
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

/** The log event that the conventions have for a failure; an event of the span is for the others. */
function exceptionEventOf(
  kind: TraceOperation["kind"],
  { inference }: Conventions,
): string | undefined {
  switch (kind) {
    case "model":
      return `${inference}.exception`;
    case "tool":
      return "gen_ai.execute_tool.exception";
    default:
      return undefined;
  }
}
