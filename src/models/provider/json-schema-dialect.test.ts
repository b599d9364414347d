import { expect, test } from "vitest";
import type { JsonSchema } from "../../base/json-schema.ts";
import { toOpenAiSchema } from "./json-schema-dialect.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

const itself = (form: string) => `Of the same form as the ${form} that it is in.`;

test.each<readonly [name: string, schema: JsonSchema]>([
  [
    "a usual schema",
    object(
      {
        city: {
          type: "string",
          title: "City",
          description: "Where",
          default: "Oslo",
          format: "uri",
        },
        level: { type: "integer", enum: [1, 2, 3], exclusiveMinimum: 0 },
        after: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
        note: { type: ["string", "null"], pattern: "^a" },
        kind: { const: "a" },
      },
      { required: ["city"], additionalProperties: false },
    ),
  ],
  [
    "data that looks like a schema",
    object({
      a: { default: { type: "array" }, enum: [{ $schema: "x" }], examples: [{ type: "array" }] },
    }),
  ],
])("%s is sent as it is", (_name, schema) => {
  expect(toOpenAiSchema(schema)).toEqual(schema);
});

test.each<readonly [name: string, schema: JsonSchema, expected: JsonSchema]>([
  ["no properties", { type: "object" }, object({})],
  ["nothing at all", {}, object({})],
  ["a root without a type", { properties: { a: {} } }, object({ a: {} })],
  [
    "$schema and $id at any depth, but not as properties",
    { $schema: "s", $id: "i", ...object({ $schema: { type: "string", $schema: "s" }, $id: {} }) },
    object({ $schema: { type: "string" }, $id: {} }),
  ],
  [
    "arrays without items, also in anyOf and beside null",
    object({
      v: { anyOf: [{ type: "array" }, { type: "string" }] },
      n: { type: ["array", "null"] },
    }),
    object({
      v: { anyOf: [{ type: "array", items: {} }, { type: "string" }] },
      n: { type: ["array", "null"], items: {} },
    }),
  ],
  [
    "arrays without items in maps and items",
    object(
      { a: { type: "array", items: { type: "array" } } },
      { patternProperties: { x: { type: "array" } } },
    ),
    object(
      { a: { type: "array", items: { type: "array", items: {} } } },
      { patternProperties: { x: { type: "array", items: {} } } },
    ),
  ],
  [
    "a draft-07 tuple",
    object({
      t: {
        type: "array",
        items: [{ type: "string" }, { type: "array" }],
        additionalItems: { type: "number" },
      },
    }),
    object({
      t: {
        type: "array",
        prefixItems: [{ type: "string" }, { type: "array", items: {} }],
        items: { type: "number" },
      },
    }),
  ],
  [
    "true and false in the place of schemas",
    object({ a: true, b: false }),
    object({ a: {}, b: { not: {} } }),
  ],
  [
    "local references, with what stands beside them",
    object(
      {
        p: { anyOf: [{ $ref: "#/$defs/P" }, { type: "null" }] },
        q: { $ref: "#/$defs/P", description: "Q", required: ["y"] },
        old: { allOf: [{ $ref: "#/definitions/a~1b" }], description: "Old." },
        row: { $ref: "#/$defs/Row" },
        within: { $ref: "#/properties/old" },
      },
      {
        $defs: {
          P: object({ x: { type: "number" } }, { required: ["x"], $anchor: "p" }),
          Row: { $ref: "#/$defs/P" },
        },
        definitions: { "a/b": { type: "array" } },
      },
    ),
    object({
      p: {
        anyOf: [object({ x: { type: "number" } }, { required: ["x"] }), { type: "null" }],
      },
      q: object({ x: { type: "number" } }, { required: ["x", "y"], description: "Q" }),
      old: { type: "array", items: {}, description: "Old." },
      row: object({ x: { type: "number" } }, { required: ["x"] }),
      within: { type: "array", items: {}, description: "Old." },
    }),
  ],
  [
    "references to what they stand in, which end open and are never narrower",
    object(
      {
        node: { $ref: "#/$defs/Node" },
        whole: { $ref: "#" },
        json: { $ref: "#/$defs/Json" },
        loop: { $ref: "#/$defs/Loop" },
      },
      {
        $defs: {
          Node: object({ next: { $ref: "#/$defs/Node", description: "Next." } }),
          Json: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/Json" } }] },
          Loop: { $ref: "#/$defs/Loop" },
        },
      },
    ),
    object({
      node: object({ next: { type: "object", description: "Next." } }),
      whole: { type: "object", description: itself("object") },
      json: {
        anyOf: [{ type: "string" }, { type: "array", items: { description: itself("value") } }],
      },
      loop: { description: itself("value") },
    }),
  ],
  [
    "references that lead nowhere or elsewhere",
    object({
      a: { $ref: "#/$defs/Gone", description: "A" },
      b: { $ref: "https://elsewhere/s.json" },
      c: { $ref: "#/%" },
      d: { $ref: 1 },
    }),
    object({ a: { description: "A" }, b: {}, c: {}, d: {} }),
  ],
  [
    "a root that is a reference",
    { $ref: "#/$defs/A", $defs: { A: object({ a: { type: "string" } }, { required: ["a"] }) } },
    object({ a: { type: "string" } }, { required: ["a"] }),
  ],
  [
    "a root that is a union",
    {
      type: "object",
      description: "Do.",
      oneOf: [
        object({ kind: { const: "a" }, x: { type: "number" } }, { required: ["kind", "x"] }),
        object({ kind: { const: "b" }, y: { type: "number" } }, { required: ["kind", "y"] }),
      ],
    },
    {
      type: "object",
      description: "Do. Give the properties of one of these sets: x; or y.",
      properties: {
        kind: { anyOf: [{ const: "a" }, { const: "b" }] },
        x: { type: "number" },
        y: { type: "number" },
      },
      required: ["kind"],
    },
  ],
  [
    "a root with allOf and anyOf that only require",
    {
      ...object({ a: {} }),
      allOf: [object({ b: {} }, { required: ["b"] })],
      anyOf: [{ required: ["a"] }, { required: ["c"] }],
      not: { required: ["d"] },
    },
    {
      ...object({ a: {}, b: {} }),
      description: "Give the properties of one of these sets: a; or c.",
      required: ["b"],
    },
  ],
  ["a root that is an enum", { type: "object", enum: [{}], const: {} }, object({})],
])("%s: the schema is made such that providers take it", (_name, schema, expected) => {
  expect(toOpenAiSchema(schema)).toEqual(expected);
});

test("references that multiply come to an end", () => {
  const $defs: Record<string, JsonSchema> = { d0: { type: "string" } };
  for (let level = 1; level < 60; level += 1) {
    const reference = { $ref: `#/$defs/d${level - 1}` };
    $defs[`d${level}`] = { anyOf: [reference, { ...reference, title: "t" }] };
  }
  const size = JSON.stringify(toOpenAiSchema(object({ p: { $ref: "#/$defs/d59" } }, { $defs })));
  expect(size.length).toBeLessThan(1_000_000);
});

test("references in a ring and very deep schemas come to an end", () => {
  const ring = { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })), $defs: {} };
  let deep: JsonSchema = { type: "string" };
  for (let depth = 0; depth < 20_000; depth += 1) {
    deep = { not: deep };
  }
  expect(toOpenAiSchema(ring)).toMatchObject({ type: "object", properties: {} });
  expect(toOpenAiSchema(object({ deep }))).toMatchObject({ type: "object" });
});

test("a property may be called __proto__", () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"array"}}}');
  expect(JSON.stringify(toOpenAiSchema(schema))).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"array","items":{}}}}',
  );
});

test("the schema itself is not changed", () => {
  const schema = Object.freeze({
    $schema: "s",
    type: "object",
    anyOf: Object.freeze([{ type: "array" }]),
  });
  const before = JSON.stringify(schema);
  toOpenAiSchema(schema);
  expect(JSON.stringify(schema)).toBe(before);
});
