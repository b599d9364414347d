import { expect, test } from "vitest";
import { formatTraceparent, parseTraceparent, traceContextFrom } from "./trace-context.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("G-O3: a trace context is read from headers and from plain objects", () => {
  const headers = new Headers({ traceparent, tracestate: "a=1", baggage: "b=2" });
  expect(traceContextFrom(headers)).toEqual({ traceparent, tracestate: "a=1", baggage: "b=2" });
  expect(traceContextFrom({ traceparent, other: 1 })).toEqual({ traceparent });
});

test.each([
  undefined,
  7,
  "",
  traceparent.toUpperCase(),
  traceparent.replace("00-4", "ff-4"),
  `${traceparent}-more`,
  "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
  "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
  `00-${"4".repeat(31)}-00f067aa0ba902b7-01`,
])("G-O3: %s is no traceparent, and nothing is taken", (value) => {
  expect(traceContextFrom({ traceparent: value, tracestate: "a=1" })).toBeUndefined();
});

test("G-O3: a later version may say more; what does not fit beside it is left out", () => {
  expect(traceContextFrom({ traceparent: `01${traceparent.slice(2)}-more` })).toBeDefined();
  const crooked = { traceparent, tracestate: "a=1\r\nx: y", baggage: "b".repeat(9_000) };
  expect(traceContextFrom(crooked)).toEqual({ traceparent });
});

test("a traceparent is written as it is read", () => {
  const parsed = parseTraceparent(traceparent);
  expect(parsed && formatTraceparent(parsed)).toBe(traceparent);
});
