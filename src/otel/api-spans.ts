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
import { withLists } from "./api-meters.ts";
import { fromBaggageHeader, toBaggageHeader } from "./baggage-header.ts";
import type { Conventions } from "./conventions.ts";
import type { SpanDescription, SpanKindName } from "./describe-operation.ts";
import type { SpanAttributes } from "./span-attributes.ts";
import type { SpanKeeper, SpanSink } from "./span-sink.ts";

/** Spans by OpenTelemetry's API, of whatever SDK the application has registered. */
export function apiSpans(provider: () => TracerProvider, { schemaUrl }: Conventions): SpanKeeper {
  let tracer: Tracer | undefined;
  return {
    start(description, parent) {
      tracer ??= provider().getTracer("dragoman", version, { schemaUrl });
      return startIn(tracer, description, contextOf(parent) ?? context.active());
    },
  };
}

const kinds: Readonly<Record<SpanKindName, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
};

function startIn(
  tracer: Tracer,
  { name, kind, attributes }: SpanDescription,
  parent: Context,
): SpanSink {
  const options = { kind: kinds[kind], attributes: withLists(attributes) };
  return new ApiSpan(tracer, tracer.startSpan(name, options, parent), parent);
}

class ApiSpan implements SpanSink {
  readonly isRecording: boolean;
  readonly #tracer: Tracer;
  readonly #span: Span;
  /** Where the span is the active one. */
  readonly #within: Context;

  constructor(tracer: Tracer, span: Span, parent: Context) {
    this.isRecording = span.isRecording();
    this.#tracer = tracer;
    this.#span = span;
    this.#within = trace.setSpan(parent, span);
  }

  start(description: SpanDescription, parent: TraceContext | undefined): SpanSink {
    return startIn(this.#tracer, description, contextOf(parent) ?? this.#within);
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

  link(other: TraceContext): void {
    const linked = remoteSpanOf(other);
    if (linked !== undefined) {
      this.#span.addLink({ context: linked });
    }
  }

  fail(type: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message: type });
  }

  end(): void {
    this.#span.end();
  }

  run<Value>(work: () => Value): Value {
    return context.with(this.#within, work);
  }

  context(withBaggage: boolean): TraceContext | undefined {
    return traceContextOf(this.#span, withBaggage ? this.#within : undefined);
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
