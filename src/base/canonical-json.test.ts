import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test("equal values have one canonical text, whatever the order of their keys", () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }));
  expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
});
