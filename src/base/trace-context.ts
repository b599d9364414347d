/** The trace that a piece of work belongs to, in the words of W3C Trace Context: each a header's value. */
export type TraceContext = {
  /** Version, trace id, parent id and flags, as in `00-4bf9…-00f0…-01`. */
  readonly traceparent: string;
  /** What tracing systems add of their own. */
  readonly tracestate?: string;
  /** What the application has attached (W3C Baggage); it may name users, so it is not sent to everybody. */
  readonly baggage?: string;
};

/** What stands in a `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: whether the trace is recorded. */
  readonly flags: number;
}

/** Longest values that are taken from outside: W3C demands that so much be passed on. */
const mostTracestate = 512;
const mostBaggage = 8_192;

/**
 * The trace context in the headers of a request, or in the `_meta` of an MCP message. Values that are
 * not of the right form are left out, as W3C demands.
 *
 * @param headers `Headers`, or an object by lower-case name.
 * @returns `undefined` where there is no valid `traceparent`.
 */
export function traceContextFrom(
  headers: Headers | Readonly<Record<string, unknown>>,
): TraceContext | undefined {
  const read = (name: string, longest: number): string | undefined => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    return typeof value === "string" && value.length <= longest && /^[\x20-\x7e]+$/.test(value)
      ? value
      : undefined;
  };
  const traceparent = read("traceparent", 100)?.trim();
  if (traceparent === undefined || parseTraceparent(traceparent) === undefined) {
    return undefined;
  }
  const tracestate = read("tracestate", mostTracestate);
  const baggage = read("baggage", mostBaggage);
  return {
    traceparent,
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
  };
}

/** @returns `undefined` for what is no `traceparent`, and for ids that are all zeros. */
export function parseTraceparent(text: string): TraceParent | undefined {
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text);
  const [, version = "ff", traceId = "", spanId = "", flags = "", more] = match ?? [];
  const isKnown = version !== "ff" && (version !== "00" || more === undefined);
  return isKnown && /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId)
    ? { traceId, spanId, flags: Number.parseInt(flags, 16) }
    : undefined;
}

/** The `traceparent` of a span. */
export const formatTraceparent = ({ traceId, spanId, flags }: TraceParent): string =>
  `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, "0")}`;
