import { expect, test } from "vitest";
import { isJsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import {
  toGeminiJsonSchema,
  toGeminiResponseSchema,
  toGeminiSchema,
} from "./json-schema-gemini.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** What a property's schema becomes. */
function converted(schema: unknown, root: object = {}): unknown {
  const result = toGeminiSchema(object({ p: schema }, root));
  const properties = result?.["properties"];
  return isJsonObject(properties) ? properties["p"] : undefined;
}

test.each<readonly [given: unknown, expected: object]>([
  [
    { type: "string", title: "T", description: "D", default: "d", minLength: 1 },
    { type: "string", title: "T", description: "D", default: "d", minLength: 1 },
  ],
  [
    { type: "integer", exclusiveMinimum: 0 },
    { type: "integer", description: "(exclusiveMinimum: 0)" },
  ],
  [{ const: "a" }, { type: "string", enum: ["a"] }],
  [{ enum: ["a", "b", null] }, { type: "string", enum: ["a", "b"], nullable: true }],
  [
    { type: "integer", enum: [1, 2], description: "Level." },
    { type: "integer", description: "Level. One of: 1, 2." },
  ],
  [{ enum: ["", "a"] }, { type: "string", description: 'One of: "", "a".' }],
  [{ const: true }, { type: "boolean", description: "One of: true." }],
  [{ type: ["string", "null"] }, { type: "string", nullable: true }],
  [{ type: ["string", "number"] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
  [
    { anyOf: [{ type: "string" }, { type: "null" }], description: "D", default: null },
    { type: "string", nullable: true, description: "D", default: null },
  ],
  [
    { oneOf: [{ type: "string" }, { type: "array" }] },
    { anyOf: [{ type: "string" }, { type: "array", items: {} }] },
  ],
  [{ type: "array" }, { type: "array", items: {} }],
  [
    { type: ["array", "null"], items: { type: "number" } },
    { type: "array", items: { type: "number" }, nullable: true },
  ],
  [
    { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
  ],
  [
    { type: "array", items: [{ type: "string" }] },
    { type: "array", items: { type: "string" } },
  ],
  [
    { type: "string", format: "uri" },
    { type: "string", description: '(format: "uri")' },
  ],
  [
    { type: "string", format: "date-time" },
    { type: "string", format: "date-time" },
  ],
  [{ type: "object" }, { type: "object" }],
  [object({}, { additionalProperties: false }), { type: "object" }],
  [
    { type: "object", additionalProperties: { type: "number" } },
    { type: "object", description: '(additionalProperties: {"type":"number"})' },
  ],
  [
    object({ a: { const: "x" } }, { required: ["a", "b"] }),
    { type: "object", properties: { a: { type: "string", enum: ["x"] } }, required: ["a"] },
  ],
  [
    { allOf: [object({ a: {} }, { required: ["a"] }), object({ b: {} }, { required: ["b"] })] },
    { type: "object", properties: { a: {}, b: {} }, required: ["a", "b"] },
  ],
  [{ $ref: "#/$defs/Gone", description: "D" }, { description: "D" }],
  [object({ a: {} }, { anyOf: [{ required: ["a"] }] }), { type: "object", properties: { a: {} } }],
  [true, {}],
])("%j becomes %j", (given, expected) => {
  expect(converted(given)).toEqual(expected);
});

test("references are put in place, and one to itself ends as an open object", () => {
  const $defs = {
    Point: object({ x: { type: "number" } }),
    Node: object({
      value: { $ref: "#/$defs/Point" },
      next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] },
    }),
    Alias: { allOf: [{ $ref: "#/$defs/Node" }], description: "An alias." },
  };
  const point = object({ x: { type: "number" } });
  const next = {
    type: "object",
    description: expect.stringContaining("same form"),
    nullable: true,
  };
  expect(converted({ $ref: "#/$defs/Alias" }, { $defs })).toEqual({
    ...object({ value: point, next }),
    description: "An alias.",
  });
});

test("a tool without properties has no parameters", () => {
  expect(toGeminiSchema({ type: "object" })).toBeUndefined();
  expect(toGeminiSchema(object({}, { $schema: "s" }))).toBeUndefined();
});

const documented = new Set([
  ...[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "properties",
    "required",
    "items",
  ],
  ...["anyOf", "default", "minItems", "maxItems", "minLength", "maxLength", "minProperties"],
  ...["maxProperties", "pattern", "minimum", "maximum"],
]);

/** Keywords at any depth that Gemini does not document. */
function strangers(schema: unknown): readonly string[] {
  return Object.entries(isJsonObject(schema) ? schema : {}).flatMap(([keyword, value]) => {
    const inner =
      keyword === "properties" && isJsonObject(value) ? Object.values(value) : [value].flat();
    return [...(documented.has(keyword) ? [] : [keyword]), ...inner.flatMap(strangers)];
  });
}

test("whatever a schema holds, the result keeps to the documented keywords", () => {
  const hostile: JsonSchema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    $defs: { P: { $id: "p", type: "object", properties: { x: { $anchor: "a", not: {} } } } },
    properties: {
      n: { type: "integer", exclusiveMinimum: 0, multipleOf: 2 },
      p: { anyOf: [{ $ref: "#/$defs/P" }, { type: "null" }] },
      m: {
        type: "object",
        patternProperties: { "^a": { $schema: "x" } },
        propertyNames: { pattern: "a" },
      },
      c: { if: { const: 1 }, else: { const: 3 } },
      u: {
        type: "array",
        items: { allOf: [{ $ref: "#/$defs/P" }, { minProperties: 1 }] },
        uniqueItems: true,
      },
    },
    anyOf: [{ required: ["n"] }, { required: ["p"] }],
    additionalProperties: false,
  };
  const result = toGeminiSchema(hostile);
  expect(strangers(result)).toEqual([]);
  expect(Object.keys(result?.["properties"] ?? {})).toEqual(["n", "p", "m", "c", "u"]);
});

test("references that multiply and very deep schemas come to an end", () => {
  const $defs: Record<string, JsonSchema> = { d0: { type: "string" } };
  for (let level = 1; level < 60; level += 1) {
    const reference = { $ref: `#/$defs/d${level - 1}` };
    $defs[`d${level}`] = { anyOf: [reference, { ...reference, title: "t" }] };
  }
  let deep: JsonSchema = { type: "string" };
  for (let depth = 0; depth < 20_000; depth += 1) {
    deep = depth % 2 === 0 ? { type: "array", items: deep } : { allOf: [deep] };
  }
  const size = JSON.stringify(
    toGeminiSchema(object({ p: { $ref: "#/$defs/d59" } }, { $defs })),
  ).length;
  expect(size).toBeLessThan(1_000_000);
  expect(toGeminiSchema(object({ deep }))).toMatchObject({ type: "object" });
  const ring = { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } };
  expect(converted({ $ref: "#/$defs/a" }, { $defs: ring })).toEqual({
    description: "Of the same form as the value that it is in.",
  });
});

test.each<readonly [given: unknown, expected: unknown]>([
  [
    { type: "integer", enum: [1, 2], exclusiveMinimum: 0 },
    { type: "integer", enum: [1, 2], description: "(exclusiveMinimum: 0)" },
  ],
  [{ type: ["string", "null"] }, { type: ["string", "null"] }],
  [
    { enum: ["a", null], description: "D" },
    { description: "D", anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
  ],
  [
    { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
  ],
  [
    { type: "object", additionalProperties: { type: "string", pattern: "^a" } },
    {
      type: "object",
      additionalProperties: { type: "string", description: '(pattern: "^a")' },
    },
  ],
  [
    { type: "object", properties: {}, additionalProperties: false },
    { type: "object", additionalProperties: false },
  ],
  [{ const: true }, { type: "boolean", description: "One of: true." }],
])("as parametersJsonSchema %j is written as %j", (given, expected) => {
  const result = toGeminiJsonSchema(object({ p: given }, { $schema: "s" }));
  expect(result).toEqual({ type: "object", properties: { p: expected } });
});

test("a tool without arguments has no parametersJsonSchema, one with a map has", () => {
  expect(toGeminiJsonSchema({ type: "object", additionalProperties: false })).toBeUndefined();
  expect(toGeminiJsonSchema({ type: "object", additionalProperties: { type: "number" } })).toEqual({
    type: "object",
    additionalProperties: { type: "number" },
  });
});

test("a response schema may be of any type, and is left out where it says nothing", () => {
  expect(toGeminiResponseSchema({ type: "array", items: { const: "a" } })).toEqual({
    type: "array",
    items: { type: "string", enum: ["a"] },
  });
  expect(toGeminiResponseSchema({ description: "Anything." })).toBeUndefined();
});
