import { expect, test } from "vitest";
import type { Json } from "../base/json.ts";
import { jsonSize } from "./json-size.ts";

test("a value is as large as its text", () => {
  const value = { a: [1, null, true], "b\u00e9": "x😀", c: {} };
  const { bytes, nodes, depth } = jsonSize(value, 100);
  // Separators are counted as if there was one for each part.
  expect(bytes).toBe(Buffer.byteLength(JSON.stringify(value)) + 2);
  expect({ nodes, depth }).toEqual({ nodes: 7, depth: 3 });
});

test("patterns are counted wherever they stand", () => {
  const patternProperties = { "^ab": { pattern: "é" }, "^c": true };
  expect(jsonSize([{ pattern: "a" }, { patternProperties }, { pattern: 1 }], 100)).toMatchObject({
    patterns: 4,
    longestPattern: 3,
  });
});

test("a value without end is measured only so far, and one without bottom does not break it", () => {
  expect(jsonSize(Array(1_000_000).fill(0), 10).nodes).toBeGreaterThan(10);
  let deep: Json = 0;
  for (let level = 0; level < 200_000; level += 1) {
    deep = [deep];
  }
  expect(jsonSize(deep, 1_000_000).depth).toBe(200_001);
});
