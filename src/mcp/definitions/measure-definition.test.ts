import { expect, test } from "vitest";
import type { Json } from "../../base/json.ts";
import { type MeasureBounds, measureDefinition } from "./measure-definition.ts";

const measure = (
  value: unknown,
  bounds: Partial<MeasureBounds> = {},
): ReturnType<typeof measureDefinition> =>
  measureDefinition(value, { mostNodes: 100, mostDepth: 64, longestText: 10, ...bounds });

test("a definition is as large as its text", () => {
  const value = { a: [1, null, true], ["é".repeat(33)]: "x😀", c: {} };
  const { bytes, nodes, depth } = measure(value);
  // Separators are counted as if there was one for each part.
  expect(bytes).toBe(Buffer.byteLength(JSON.stringify(value)) + 2);
  expect({ nodes, depth }).toEqual({ nodes: 7, depth: 2 });
});

test("patterns are counted wherever they stand", () => {
  const patternProperties = { "^ab": { pattern: "é" }, "^c": true };
  expect(measure([{ pattern: "a" }, { patternProperties }, { pattern: 1 }])).toMatchObject({
    patterns: 4,
    longestPattern: 3,
  });
});

test.each<[what: string, value: Json, isUnclean: boolean]>([
  ["a plain title", { title: "ten to ten" }, false],
  ["lines and tabs", { description: "a\n\tb\r\n" }, false],
  ["a long description", { anyOf: [{ description: "eleven char" }] }, true],
  ["a tag character", { properties: { a: { title: "a\u{e0041}" } } }, true],
  ["a control character", { description: "a\u001b[8m" }, true],
  ["a tag character in a value", { enum: ["a\u{e0041}"] }, true],
  ["a tag character in a text", { const: "a\u{e0041}" }, true],
  ["a tag character in a name", { properties: { "a\u{e0041}": {} } }, true],
  ["a long text elsewhere", { name: "far too long a name" }, false],
])("whether texts may need cleaning: %s", (_what, value, isUnclean) => {
  expect(measure(value).isUnclean).toBe(isUnclean);
});

test("G-T15: what is without end or bottom is measured only so far", () => {
  expect(measure(Array(1_000_000).fill(0)).nodes).toBe(1_000_001);
  expect(measure(Array(1_000_000).fill({ a: 1 })).bytes).toBeLessThan(2_000_000);
  let deep: Json = 0;
  for (let level = 0; level < 200_000; level += 1) {
    deep = level % 2 === 0 ? [deep] : { deep };
  }
  expect(measure(deep, { mostNodes: 1_000_000 })).toMatchObject({ depth: 65, nodes: 65 });
});

test("a name of every object's is a name like others", () => {
  const definition: unknown = JSON.parse('{"__proto__":{"pattern":"a"},"constructor":{}}');
  expect(measure(definition)).toMatchObject({ patterns: 1, nodes: 4 });
});
