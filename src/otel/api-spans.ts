import {
  type Context,
  context,
  createTraceState,
  INVALID_TRACEID,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { formatTraceparent, parseTraceparent, type TraceContext } from "../base/trace-context.ts";
import { version } from "../base/version.ts";
import type { LogEvent } from "./api-logs.ts";
import { withLists } from "./api-meters.ts";
import { fromBaggageHeader, toBaggageHeader } from "./baggage-header.ts";
import type { Conventions } from "./conventions.ts";
import type { SpanDescription, SpanKindName } from "./describe-operation.ts";
import type { SpanAttributes } from "./span-attributes.ts";
import type { LoggedEvent, SpanKeeper, SpanSink } from "./span-sink.ts";

/** Spans by OpenTelemetry's API, of whatever SDK the application has registered. */
export function apiSpans(
  provider: () => TracerProvider,
  log: LogEvent,
  { schemaUrl }: Conventions,
): SpanKeeper {
  let api: SpanApi | undefined;
  return {
    start(description, parent) {
      api ??= { tracer: provider().getTracer("dragoman", version, { schemaUrl }), log };
      const active = context.active();
      const sink = startIn(api, description, contextOf(parent) ?? active);
      const around = parent && trace.getSpan(active);
      if (around !== undefined && !isParentOf(around, parent)) {
        sink.linkTo(around); // where a request is served that is part of another's trace
      }
      return sink;
    },
  };
}

const isParentOf = (span: Span, parent: TraceContext | undefined): boolean =>
  parent !== undefined &&
  parseTraceparent(parent.traceparent)?.spanId === span.spanContext().spanId;

/** What spans are written with. */
interface SpanApi {
  readonly tracer: Tracer;
  readonly log: LogEvent;
}

const kinds: Readonly<Record<SpanKindName, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
};

function startIn(
  api: SpanApi,
  { name, kind, attributes }: SpanDescription,
  parent: Context,
): ApiSpan {
  const options = { kind: kinds[kind], attributes: withLists(attributes) };
  return new ApiSpan(api, api.tracer.startSpan(name, options, parent), parent);
}

class ApiSpan implements SpanSink {
  readonly isRecording: boolean;
  /** Where the span is the active one. */
  readonly place: Context;
  readonly #api: SpanApi;
  readonly #span: Span;

  constructor(api: SpanApi, span: Span, parent: Context) {
    this.isRecording = span.isRecording();
    this.place = trace.setSpan(parent, span);
    this.#api = api;
    this.#span = span;
  }

  start(description: SpanDescription, parent: TraceContext | undefined): SpanSink {
    return startIn(this.#api, description, contextOf(parent) ?? this.place);
  }

  setAttributes(attributes: SpanAttributes): void {
    this.#span.setAttributes(withLists(attributes));
  }

  setAttribute(key: string, value: string | number): void {
    this.#span.setAttribute(key, value);
  }

  addEvent(name: string, attributes: SpanAttributes): void {
    this.#span.addEvent(name, withLists(attributes));
  }

  linkTo(other: Span): void {
    this.#span.addLink({ context: other.spanContext() });
  }

  link(other: TraceContext): void {
    const linked = remoteSpanOf(other);
    if (linked !== undefined) {
      this.#span.addLink({ context: linked });
    }
  }

  log(event: LoggedEvent): boolean {
    return this.#api.log(event, this.place);
  }

  fail(description: string | undefined): void {
    this.#span.setStatus({
      code: SpanStatusCode.ERROR,
      ...(description === undefined ? {} : { message: description }),
    });
  }

  end(): void {
    this.#span.end();
  }

  run<Value>(work: () => Value): Value {
    return context.with(this.place, work);
  }

  context(withBaggage: boolean): TraceContext | undefined {
    return traceContextOf(this.#span, withBaggage ? this.place : undefined);
  }
}

function contextOf(parent: TraceContext | undefined): Context | undefined {
  const remote = parent && remoteSpanOf(parent);
  if (parent === undefined || remote === undefined) {
    return undefined;
  }
  const inTrace = trace.setSpanContext(ROOT_CONTEXT, remote);
  return parent.baggage === undefined
    ? inTrace
    : propagation.setBaggage(inTrace, fromBaggageHeader(parent.baggage));
}

function remoteSpanOf({ traceparent, tracestate }: TraceContext) {
  const parsed = parseTraceparent(traceparent);
  return (
    parsed && {
      traceId: parsed.traceId,
      spanId: parsed.spanId,
      traceFlags: parsed.flags,
      isRemote: true,
      ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
    }
  );
}

function traceContextOf(span: Span, baggageOf: Context | undefined): TraceContext | undefined {
  const own = span.spanContext();
  if (own.traceId === INVALID_TRACEID) {
    return undefined; // no SDK is registered
  }
  const { traceId, spanId, traceFlags, traceState } = own;
  const traceparent = formatTraceparent({ traceId, spanId, flags: traceFlags });
  const entries = baggageOf && propagation.getBaggage(baggageOf);
  if (traceState === undefined && entries === undefined) {
    return { traceparent };
  }
  const tracestate = traceState?.serialize() ?? "";
  const baggage = entries === undefined ? "" : toBaggageHeader(entries);
  return {
    traceparent,
    ...(tracestate === "" ? {} : { tracestate }),
    ...(baggage === "" ? {} : { baggage }),
  };
}
