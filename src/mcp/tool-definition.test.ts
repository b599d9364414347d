import { expect, test } from "vitest";
import type { Json, JsonObject } from "../base/json.ts";
import { checkToolDefinition, type McpToolDefinition } from "./tool-definition.ts";

const entry = (more: JsonObject = {}): JsonObject => ({
  name: "get.sum",
  inputSchema: { type: "object" },
  ...more,
});

function check(more: JsonObject): { definition: McpToolDefinition; remarks: readonly string[] } {
  const checked = checkToolDefinition(entry(more));
  if (checked.kind !== "usable") {
    throw new Error(`the definition is ${checked.kind}`);
  }
  return checked;
}

test("a definition is taken over whole", () => {
  const inputSchema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { P: { $anchor: "p", type: "object" } },
    properties: { description: { $ref: "#/$defs/P", title: "D" }, n: { const: 0, default: 1 } },
    allOf: [{ anyOf: [true, { if: {} }] }],
    required: ["n"],
  };
  const raw = entry({
    title: "Sum",
    description: "Adds.\n\tNumbers.",
    inputSchema,
    outputSchema: { type: "array" },
    annotations: { readOnlyHint: true, destructiveHint: false, title: "other", openWorldHint: 1 },
    _meta: { a: 1 },
  });
  expect(check(raw)).toMatchObject({
    kind: "usable",
    definition: {
      sourceName: "get.sum",
      title: "Sum",
      description: "Adds.\n\tNumbers.",
      inputSchema,
      outputSchema: { type: "array" },
      annotations: { readOnly: true, destructive: false },
      raw,
    },
    remarks: [],
  });
});

test("a title in the annotations is one, too", () => {
  expect(check({ annotations: { title: "Sum" } }).definition.title).toBe("Sum");
});

test("what cannot be seen is taken out of all that a model is shown, with a remark", () => {
  const hidden = "Adds\u{e0041}\u202e.";
  const { definition, remarks } = check({
    title: hidden,
    description: hidden,
    inputSchema: {
      type: "object",
      description: hidden,
      properties: { a: { title: hidden, items: [{ description: hidden }], enum: [hidden] } },
    },
  });
  expect(definition).toMatchObject({
    title: "Adds.",
    description: "Adds.",
    inputSchema: {
      description: "Adds.",
      properties: { a: { title: "Adds.", items: [{ description: "Adds." }], enum: [hidden] } },
    },
  });
  expect(remarks).toEqual([
    expect.stringContaining("invisible characters"),
    expect.stringContaining("descriptions of its parameters"),
  ]);
});

test("a long description is cut, with a remark", () => {
  const { definition, remarks } = check({ description: "x".repeat(5000) });
  expect(definition.description).toHaveLength(4096);
  expect(remarks).toEqual([expect.stringContaining("cut at 4096 characters")]);
});

test("a description that is no text is none", () => {
  expect(check({ description: 7 }).definition.description).toBe("");
});

const nested = (depth: number): Json => (depth === 0 ? {} : { not: nested(depth - 1) });
const huge = (): JsonObject => ({ enum: Array.from({ length: 20_000 }, () => 0) });

test.each([
  ["nested more than 64 deep", nested(100)],
  ["nested more than 64 deep", nested(5000)],
  ["more than 10000 parts", huge()],
])(
  "a schema that is or has %s is refused for the input and not used for the output",
  (words, schema) => {
    expect(checkToolDefinition(entry({ inputSchema: schema }))).toMatchObject({
      kind: "malformed",
      reason: expect.stringContaining(words),
    });
    const { definition, remarks } = check({ outputSchema: schema });
    expect(definition.outputSchema).toBeUndefined();
    expect(remarks).toEqual([expect.stringContaining("outputSchema")]);
  },
);
