import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../base/json.ts";
import type { McpLimits } from "../../tool/mcp-limits.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import { checkToolDefinition, type McpToolDefinition } from "./tool-definition.ts";

const entry = (more: JsonObject = {}): JsonObject => ({
  name: "get.sum",
  inputSchema: { type: "object" },
  ...more,
});

function check(
  more: JsonObject,
  limits: McpLimits = {},
): { definition: McpToolDefinition; remarks: readonly string[] } {
  const checked = checkToolDefinition(entry(more), resolveLimits(limits));
  if (checked.kind !== "usable") {
    throw new Error(`the definition is ${checked.kind}`);
  }
  const remarks = checked.remarks.map(({ code, words }) => `${code}: ${words}`);
  return { definition: checked.definition, remarks };
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
      properties: { a: { title: "Adds.", items: [{ description: "Adds." }], enum: ["Adds."] } },
    },
  });
  expect(remarks).toEqual([
    expect.stringContaining("invisible characters"),
    expect.stringContaining("descriptions of its parameters"),
    expect.stringContaining("names or values of its parameters"),
  ]);
});

test("a long description is cut, with a remark", () => {
  const { definition, remarks } = check({ description: "x".repeat(5000) });
  expect(definition.description).toHaveLength(4096);
  expect(remarks).toEqual([
    "mcp-tool-changed: its description was cut at limits.maxDescriptionLength (4096) characters",
  ]);
  expect(check({ description: "xy" }, { maxDescriptionLength: 1 }).definition.description).toBe(
    "x",
  );
  const inputSchema = { properties: { a: { description: "xy" } } };
  const limits = { maxParameterDescriptionLength: 1 };
  expect(check({ inputSchema }, limits).definition.inputSchema).toEqual({
    properties: { a: { description: "x" } },
  });
});

test("a description that is no text is none", () => {
  expect(check({ description: 7 }).definition.description).toBe("");
});

const nested = (depth: number): Json => (depth === 0 ? {} : { not: nested(depth - 1) });
const patterns = (count: number, pattern: string): JsonObject => ({
  allOf: Array.from({ length: count }, () => ({ pattern })),
});
const huge = (): JsonObject => ({ enum: Array.from({ length: 20_000 }, () => 0) });

test.each<[limit: string, more: JsonObject, limits: McpLimits]>([
  ["maxDefinitionDepth (64)", { inputSchema: nested(100) }, {}],
  ["maxDefinitionDepth (64)", { outputSchema: nested(5_000) }, {}],
  ["maxDefinitionDepth (5)", { _meta: nested(7) }, { maxDefinitionDepth: 5 }],
  ["maxDefinitionNodes (10000)", { inputSchema: huge() }, {}],
  ["maxPatterns (1000)", { inputSchema: patterns(1_001, "a") }, {}],
  ["maxPatterns (1)", { outputSchema: patterns(2, "a") }, { maxPatterns: 1 }],
  [
    "maxPatternBytes (65536)",
    { inputSchema: { patternProperties: { ["é".repeat(33_000)]: {} } } },
    {},
  ],
])("G-T15: a tool whose definition is over limits.%s is of no use", (limit, more, limits) => {
  expect(checkToolDefinition(entry(more), resolveLimits(limits))).toMatchObject({
    kind: "unusable",
    code: "mcp-tool-too-large",
    reason: expect.stringContaining(` than limits.${limit}`),
  });
});

test("schemas are not compiled when a definition is checked", () => {
  const gone = { $ref: "#/$defs/Gone" };
  const { definition, remarks } = check({ inputSchema: gone, outputSchema: { type: "nope" } });
  expect(definition).toMatchObject({ inputSchema: gone, outputSchema: { type: "nope" } });
  expect(remarks).toEqual([]);
});

test("an outputSchema that is no object is not used, which is a remark", () => {
  const { definition, remarks } = check({ outputSchema: [] });
  expect(definition.outputSchema).toBeUndefined();
  expect(remarks).toEqual(["mcp-tool-changed: its outputSchema is not an object and is not used"]);
});

test.each([
  ["sеarch", "it mixes Latin and Cyrillic letters"],
  ["sea\u200brch", "it holds invisible characters"],
])("a tool called %s is left out by itself", (name, words) => {
  expect(checkToolDefinition(entry({ name }), resolveLimits())).toEqual({
    kind: "unusable",
    code: "mcp-tool-look-alike",
    name,
    reason: `its name can be mistaken for another: ${words}`,
  });
});
