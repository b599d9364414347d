import { expect, test } from "vitest";
import { toGeminiJsonSchema, toGeminiSchema } from "../gemini/json-schema-gemini.ts";
import { toOpenAiSchema } from "./json-schema-dialect.ts";
import { toSoundSchema } from "./json-schema-sound.ts";

test.each([
  { type: "integer", minimum: 0, exclusiveMaximum: 9, default: 1, enum: [1, 2], "x-unknown": [] },
  { type: ["string", "null"], pattern: "^[a-z0-9._-]+(?:\\.md|\\/x)?\\s*$", nullable: true },
  { pattern: "^\\d{4}-\\d{2}-\\d{2}[+\\-\\[\\]]*$" },
  { type: "object", properties: {}, required: [], additionalProperties: false },
  { examples: [1], deprecated: true, description: "D", title: "T", format: "uri" },
])("%j is sound", (schema) => {
  expect(toSoundSchema(schema)).toBe(schema);
});

test.each<readonly [given: object, expected: object]>([
  [
    { type: "integer", minimum: 0, exclusiveMinimum: true },
    { type: "integer", exclusiveMinimum: 0 },
  ],
  [
    { minimum: 0, exclusiveMinimum: false, maximum: 5, exclusiveMaximum: true },
    { minimum: 0, exclusiveMaximum: 5 },
  ],
  [{ exclusiveMaximum: true }, {}],
  [{ type: "STRING" }, { type: "string" }],
  [{ type: "any", description: "D." }, { description: 'D. (type: "any")' }],
  [{ type: ["string", "float"] }, { description: '(type: ["string","float"])' }],
  [{ type: ["string", "String"] }, { type: ["string"] }],
  [{ type: null }, {}],
  [{ type: "string", required: true }, { type: "string" }],
  [{ required: ["a", "a", 1] }, { required: ["a"] }],
  [{ type: "object", properties: [] }, { type: "object" }],
  [{ type: "array", items: null }, { type: "array" }],
  [{ enum: [], anyOf: [], oneOf: null, allOf: {} }, {}],
  [{ enum: ["a", "a"] }, { enum: ["a"] }],
  [{ enum: "a or b" }, { description: '(enum: "a or b")' }],
  [{ minLength: "3", maxItems: -1 }, { description: '(minLength: "3", maxItems: -1)' }],
  [{ title: 1, description: null, examples: "x", deprecated: "since 2" }, {}],
  [{ pattern: "^(?!undefined$)" }, { description: '(pattern: "^(?!undefined$)")' }],
])("%j becomes %j", (given, expected) => {
  expect(toSoundSchema({ ...given })).toEqual(expected);
});

test.each([
  ["a class of Unicode", "^[\\p{L}\\p{N} ._\\-]+$"],
  ["look-ahead", "^(?=a)"],
  ["look-behind", "(?<!a)b"],
  ["a reference back", "(a)\\1"],
  ["a named group", "(?<year>\\d+)"],
  ["a flag", "(?i)abc"],
  ["a bracket in a class", "^[a-z\\-=[\\]{}|]*$"],
  ["a count beyond what engines take", "^.{1,5000}$"],
  ["no expression", "(a"],
  ["another language's end of text", "a\\Z"],
])("a pattern with %s is told in words: %s", (_name, pattern) => {
  expect(toSoundSchema({ type: "string", pattern })).toEqual({
    type: "string",
    description: `(pattern: ${JSON.stringify(pattern)})`,
  });
});

test("every dialect is sound at every depth", () => {
  const bad = { type: "any", exclusiveMinimum: true, minimum: 1, required: true };
  const schema = {
    type: "object",
    required: true,
    properties: {
      a: bad,
      list: { type: "array", items: bad },
      referred: { $ref: "#/$defs/Bad" },
      union: { anyOf: [bad, { type: "null" }] },
      type: "object",
    },
    $defs: { Bad: bad },
  };
  for (const convert of [toOpenAiSchema, toGeminiSchema, toGeminiJsonSchema]) {
    const text = JSON.stringify(convert(schema));
    expect(text).not.toMatch(
      /"type":"any"|exclusiveMinimum":true|"required":true|"type":"object"}}/,
    );
  }
});
