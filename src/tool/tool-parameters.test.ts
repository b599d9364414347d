import { expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import { fromToolParameters, toToolParameters } from "./tool-parameters.ts";

const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { Level: { type: "string", enum: ["low", "high"] } },
  properties: {
    id: { type: "integer", minimum: 1, description: "Which one." },
    level: { $ref: "#/$defs/Level" },
    note: { type: ["string", "null"], default: null },
    mode: { anyOf: [{ const: 1 }, { const: "auto" }] },
    at: { anyOf: [{ type: "string", format: "date" }, { type: "number" }] },
    any: true,
  },
  required: ["id", "level", "ghost"],
  additionalProperties: false,
  allOf: [{ if: { required: ["note"] } }],
};

test("P4: the arguments of a schema are a list that forms and command lines can use", () => {
  const { parameters, rest } = toToolParameters(schema);
  expect(parameters.map(({ schema: _, ...shown }) => shown)).toEqual([
    { name: "id", types: ["integer"], required: true, description: "Which one." },
    { name: "level", types: ["string"], required: true, choices: ["low", "high"] },
    { name: "note", types: ["string", "null"], required: false, default: null },
    { name: "mode", types: ["number", "string"], required: false, choices: [1, "auto"] },
    { name: "at", types: ["string", "number"], required: false },
    { name: "any", types: [], required: false },
  ]);
  expect(rest).toMatchObject({ required: ["ghost"], additionalProperties: false });
});

test.each([
  ["everything", schema],
  ["nothing", { type: "object", properties: {} }],
  ["what zod makes", z.toJSONSchema(z.object({ a: z.string().optional(), b: z.array(z.int()) }))],
])("P4: the way back gives the schema with %s again", (_what, given) => {
  expect(fromToolParameters(toToolParameters(given))).toEqual(given);
});

test("P4: parameters that were changed make the schema of another tool", () => {
  const { parameters, rest } = toToolParameters(schema);
  const fewer = parameters
    .filter(({ name }) => name !== "level")
    .map((one) => ({ ...one, required: false }));
  const inputSchema = fromToolParameters({ parameters: fewer, rest: { ...rest, required: [] } });
  expect(inputSchema["required"]).toBeUndefined();
  const tool = defineTool({ name: "t", description: "t", inputSchema, execute: () => 1 });
  expect(Object.keys(tool.parameters["properties"] as object)).not.toContain("level");
});

test("a schema that goes in a circle, or is none, does no harm", () => {
  const circle = { type: "object", properties: { a: { $ref: "#/properties/a" } } };
  expect(toToolParameters(circle).parameters).toMatchObject([{ name: "a", types: [] }]);
  const odd = { properties: 7, required: "x" };
  expect(toToolParameters(odd)).toEqual({ parameters: [], rest: { properties: 7 } });
});
