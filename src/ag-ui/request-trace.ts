import { type TraceContext, traceContextFrom } from "../base/trace-context.ts";

/** The trace that a request belongs to; a stranger's baggage stays outside. */
export function traceOf({ headers }: Request): TraceContext | undefined {
  const { traceparent, tracestate } = Object.fromEntries(headers);
  return traceContextFrom({ traceparent, tracestate });
}
