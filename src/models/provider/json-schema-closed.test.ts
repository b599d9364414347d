import { expect, test } from "vitest";
import type { JsonSchema } from "../../base/json-schema.ts";
import {
  anthropicForm,
  type ClosedForm,
  strictArgumentsForm,
  strictForm,
  toClosedSchema,
} from "./json-schema-closed.ts";

/** What a required property's schema becomes; `undefined` where there is no form for it. */
function converted(schema: unknown, form: ClosedForm = strictForm, root: JsonSchema = {}): unknown {
  const given = { ...root, type: "object", properties: { p: schema }, required: ["p"] };
  const closed = toClosedSchema(given, form);
  return (closed?.["properties"] as JsonSchema | undefined)?.["p"]; // as it was given
}

test("objects are closed at every depth", () => {
  const inner = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  expect(toClosedSchema({ ...inner, $schema: "s" }, strictForm)).toEqual({
    ...inner,
    additionalProperties: false,
  });
  expect(converted({ type: "array", items: inner })).toEqual({
    type: "array",
    items: { ...inner, additionalProperties: false },
  });
});

test.each<readonly [given: unknown, expected: unknown]>([
  [
    { type: "string", format: "uri", minLength: 1, description: "D." },
    { type: "string", description: 'D. (format: "uri", minLength: 1)' },
  ],
  [
    { type: "integer", minimum: 1 },
    { type: "integer", minimum: 1 },
  ],
  [
    { enum: ["a", 1, null], title: "T" },
    { enum: ["a", 1, null], title: "T" },
  ],
  [{ const: "a" }, { enum: ["a"] }],
  [
    { type: ["string", "null"], description: "D" },
    { anyOf: [{ type: "string" }, { type: "null" }], description: "D" },
  ],
  [{ oneOf: [{ type: "string" }, { const: 1 }] }, { anyOf: [{ type: "string" }, { enum: [1] }] }],
  [
    { allOf: [{ type: "string" }], description: "D" },
    { type: "string", description: "D" },
  ],
])("in strict mode %j becomes %j", (given, expected) => {
  expect(converted(given)).toEqual(expected);
});

test("what Anthropic cannot assert stands in the description", () => {
  expect(converted({ type: "string", format: "uri" }, anthropicForm)).toEqual({
    type: "string",
    format: "uri",
  });
  expect(converted({ type: "integer", minimum: 1 }, anthropicForm)).toEqual({
    type: "integer",
    description: "(minimum: 1)",
  });
});

test.each<readonly [name: string, given: unknown]>([
  ["any value", {}],
  ["a map", { type: "object", additionalProperties: { type: "string" } }],
  ["an open object", { type: "object", properties: {}, additionalProperties: true }],
  ["any object", { type: "object" }],
  ["an enum of objects", { enum: [{ a: 1 }] }],
  ["several parts at once", { allOf: [{ type: "string" }, { minLength: 1 }] }],
  ["an array of anything", { type: "array" }],
])("there is no form for %s", (_name, given) => {
  expect(converted(given)).toBeUndefined();
});

test("references are put in place; there is no form for an object in itself", () => {
  const node = {
    type: "object",
    properties: { next: { $ref: "#/$defs/Node" } },
    required: ["next"],
  };
  const root = { $defs: { Node: node, Text: { type: "string" } } };
  expect(converted({ $ref: "#/$defs/Text", description: "D" }, strictForm, root)).toEqual({
    type: "string",
    description: "D",
  });
  expect(converted({ $ref: "#/$defs/Node" }, anthropicForm, root)).toBeUndefined();
});

test("what is not required stays so, may be null, or has no form", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" }, b: { anyOf: [{ type: "number" }, { type: "null" }] } },
    required: ["a"],
  };
  const closed = { type: "object", additionalProperties: false };
  const { properties } = schema;
  expect(toClosedSchema(schema, strictForm)).toBeUndefined();
  expect(toClosedSchema(schema, anthropicForm)).toEqual({ ...schema, ...closed });
  expect(toClosedSchema(schema, strictArgumentsForm)).toEqual({
    ...closed,
    properties,
    required: ["a", "b"],
  });
  expect(
    toClosedSchema({ type: "object", properties: { c: { type: "string" } } }, strictArgumentsForm),
  ).toEqual({
    ...closed,
    properties: { c: { anyOf: [{ type: "string" }, { type: "null" }] } },
    required: ["c"],
  });
});
