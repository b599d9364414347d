import {
  type Context,
  context,
  createTraceState,
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
  const span = tracer.startSpan(
    name,
    { kind: kinds[kind], attributes: withLists(attributes) },
    parent,
  );
  const own = trace.setSpan(parent, span);
  return {
    isRecording: span.isRecording(),
    start: (description, other) => startIn(tracer, description, contextOf(other) ?? own),
    setAttributes: (more) => void span.setAttributes(withLists(more)),
    addEvent: (event, more) => void span.addEvent(event, withLists(more)),
    link(other) {
      const linked = remoteSpanOf(other);
      if (linked !== undefined) {
        span.addLink({ context: linked });
      }
    },
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
    end: () => span.end(),
    run: (work) => context.with(own, work),
    context: (withBaggage) => traceContextOf(span, withBaggage ? own : undefined),
  };
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
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const traceparent = formatTraceparent({ traceId, spanId, flags: traceFlags });
  if (parseTraceparent(traceparent) === undefined) {
    return undefined; // no SDK is registered
  }
  const tracestate = traceState?.serialize() ?? "";
  const entries = baggageOf && propagation.getBaggage(baggageOf);
  const baggage = entries === undefined ? "" : toBaggageHeader(entries);
  return {
    traceparent,
    ...(tracestate === "" ? {} : { tracestate }),
    ...(baggage === "" ? {} : { baggage }),
  };
}
