import { formatTraceparent, parseTraceparent, type TraceContext } from "../base/trace-context.ts";
import type { TraceOperation } from "../base/trace-operation.ts";
import type { ActiveSpan, Tracer } from "../base/tracing.ts";
import { conventionsOf } from "./conventions.ts";
import type { SpanDescription, SpanKindName } from "./describe-operation.ts";
import type { OpenAttributes, SpanAttributes } from "./span-attributes.ts";
import type { SpanSink } from "./span-sink.ts";
import { type SpanSettings, startSpan } from "./traced-span.ts";

/** A span as an exporter of OpenTelemetry would get it. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the span that it is part of; absent where it is part of none. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: SpanKindName;
  /** Milliseconds since the Unix epoch. */
  readonly startTime: number;
  readonly durationMs: number;
  readonly status: "unset" | "error";
  readonly attributes: SpanAttributes;
  readonly events: readonly { readonly name: string; readonly attributes: SpanAttributes }[];
  readonly links: readonly TraceContext[];
}

/**
 * Runs as the spans that OpenTelemetry would get, without OpenTelemetry: for a terminal, and for tests.
 *
 * @param onEnd gets each span when it ends; children end before their parents.
 */
export class SpanRecorder implements Tracer {
  readonly #onEnd: (span: RecordedSpan) => void;

  constructor(onEnd: (span: RecordedSpan) => void) {
    this.#onEnd = onEnd;
  }

  start(operation: TraceOperation, parent: TraceContext | undefined): ActiveSpan {
    const onEnd = this.#onEnd;
    const keeper = {
      start: (description: SpanDescription, other: TraceContext | undefined) =>
        record(description, other, onEnd),
    };
    return startSpan(keeper, operation, parent, settings);
  }
}

const settings: SpanSettings = {
  conventions: conventionsOf("v0.1.0"),
  capture: undefined,
  identifiers: false,
  separateMcpSpans: false,
  isTrusted: () => false,
  meters: undefined,
};

function record(
  { name, kind, attributes: first }: SpanDescription,
  parent: TraceContext | undefined,
  onEnd: (span: RecordedSpan) => void,
): SpanSink {
  const outer = parent && parseTraceparent(parent.traceparent);
  const traceId = outer?.traceId ?? randomHex(16);
  const spanId = randomHex(8);
  const own = { traceparent: formatTraceparent({ traceId, spanId, flags: 1 }) };
  const begun = performance.now();
  const startTime = performance.timeOrigin + begun;
  const attributes: OpenAttributes = { ...first };
  const events: { readonly name: string; readonly attributes: SpanAttributes }[] = [];
  const links: TraceContext[] = [];
  let status: RecordedSpan["status"] = "unset";
  return {
    isRecording: true,
    start: (description, other) => record(description, other ?? own, onEnd),
    setAttributes: (more) => void Object.assign(attributes, more),
    setAttribute(key, value) {
      attributes[key] = value;
    },
    addEvent: (event, more) => void events.push({ name: event, attributes: more }),
    log: () => false,
    link: (other) => void links.push(other),
    fail() {
      status = "error";
    },
    end: () =>
      onEnd({
        traceId,
        spanId,
        ...(outer === undefined ? {} : { parentSpanId: outer.spanId }),
        name,
        kind,
        startTime,
        durationMs: performance.now() - begun,
        status,
        attributes,
        events,
        links,
      }),
    run: (work) => work(),
    context: () => own,
  };
}

/** So many random bytes in hexadecimal digits, which W3C wants for ids. */
const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
