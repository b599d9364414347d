import { expect, test } from "vitest";
import type { Json, JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { defineTool } from "./define-tool.ts";
import { checkArguments, parseArguments } from "./tool-arguments.ts";

test.each(["", "  ", "null", "{}", '"{}"', "\n{ }", "[]", '""', '"null"', "{}{}"])(
  "%j means no arguments",
  (text) => {
    expect(parseArguments(text)).toEqual({ kind: "object", value: {} });
  },
);

test("an object that was encoded twice is decoded twice", () => {
  const text = JSON.stringify(JSON.stringify({ a: 1 }));
  expect(parseArguments(text)).toEqual({ kind: "object", value: { a: 1 } });
});

test.each(['{}{"a":1}', '{} \n{"a":1}', '"{}{\\"a\\":1}"'])(
  "%j begins with an empty object of a gateway's",
  (text) => {
    expect(parseArguments(text)).toEqual({ kind: "object", value: { a: 1 } });
  },
);

test.each(['{"path": "/a', '{"a":1}{"a":1}', '{}{"a":', "[1]", "3", "true", "nonsense", '"text"'])(
  "%j is malformed",
  (text) => {
    expect(parseArguments(text)).toEqual({ kind: "malformed", text });
  },
);

test("of a malformed text only the beginning is kept", () => {
  const parsed = parseArguments(`{"a": "${"x".repeat(5_000_000)}`);
  expect(parsed.kind === "malformed" && parsed.text.length).toBe(500);
});

const check = (properties: Record<string, unknown>, given: JsonObject, more: JsonSchema = {}) =>
  checkArguments(
    defineTool({
      name: "probe",
      description: "",
      inputSchema: { type: "object", properties, ...more },
      execute: () => null,
    }),
    given,
  );

test("null is left out where the schema forbids it and the property is optional, also further in", async () => {
  const properties = {
    q: { type: "string" },
    country: { type: "string" },
    note: { type: ["string", "null"] },
    any: {},
    after: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    inner: { type: "object", properties: { deep: { type: "number" } } },
    list: { type: "array", items: { type: "object", properties: { x: { type: "number" } } } },
  };
  const given = {
    q: "x",
    country: null,
    note: null,
    any: null,
    after: null,
    inner: { deep: null },
    list: [{ x: null }],
  };
  expect(await check(properties, given)).toEqual({
    q: "x",
    note: null,
    any: null,
    after: null,
    inner: {},
    list: [{}],
  });
});

test("null for a required property is an error, not an omission", async () => {
  const checked = check({ q: { type: "string" } }, { q: null }, { required: ["q"] });
  await expect(checked).rejects.toThrow(/q: must be "string", got null/);
});

test("an object or array written as a string is decoded where the schema wants one", async () => {
  const properties = {
    meta: { anyOf: [{ $ref: "#/$defs/Meta" }, { type: "null" }] },
    tags: { type: "array" },
    text: { type: "string" },
    both: { type: ["string", "object"] },
    free: {},
  };
  const given = {
    meta: '{"a":1}',
    tags: '["x"]',
    text: '{"keep":1}',
    both: '{"keep":2}',
    free: '{"keep":3}',
  };
  const more = { $defs: { Meta: { type: "object" } } };
  expect(await check(properties, given, more)).toEqual({
    ...given,
    meta: { a: 1 },
    tags: ["x"],
  });
});

test.each<readonly [name: string, schema: JsonSchema, given: Json, mended: Json]>([
  ["a number", { type: "integer" }, "5", 5],
  ["a fraction", { type: ["number", "null"] }, "-0.5", -0.5],
  ["a boolean", { type: "boolean" }, "true", true],
  ["null", { type: ["integer", "null"] }, "null", null],
  [
    "within a list and a tuple",
    { type: "array", prefixItems: [{ type: "object" }], items: { type: "integer" } },
    ['{"a":1}', "2"],
    [{ a: 1 }, 2],
  ],
  [
    "within a map",
    { type: "object", additionalProperties: { type: "array" } },
    { a: "[1]" },
    { a: [1] },
  ],
  ["behind allOf", { allOf: [{ $ref: "#/$defs/Meta" }], description: "M" }, '{"a":null}', {}],
  [
    "beside anyOf that only requires",
    { $ref: "#/$defs/Meta", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    { a: null, b: "[]" },
    { b: [] },
  ],
  [
    "in the alternative that its constant names",
    {
      oneOf: [
        { properties: { kind: { const: "text" }, data: { type: "string" } } },
        {
          properties: { kind: { const: "list" }, data: { type: "array" }, n: { type: "integer" } },
        },
      ],
    },
    { kind: "list", data: '["x"]', n: null },
    { kind: "list", data: ["x"] },
  ],
  [
    "in no alternative but a string's",
    { anyOf: [{ type: "integer" }, { type: "string" }] },
    "5",
    "5",
  ],
])("what is written as text, or null, is mended: %s", async (_name, schema, given, mended) => {
  const meta = { type: "object", properties: { a: { type: "number" }, b: { type: "array" } } };
  const more = { $defs: { Meta: meta } };
  expect(await check({ p: schema }, { p: given }, more)).toEqual({ p: mended });
});

test.each(["five", "5 apples", "1e999", "12345678901234567890", '"5"', ""])(
  "the text %j is no number that could be meant",
  async (text) => {
    await expect(check({ n: { type: "integer" } }, { n: text })).rejects.toThrow(/n: must be/);
  },
);

test("a schema that refers to itself is followed only so far", async () => {
  const more = { $defs: { N: { type: "object", properties: { next: { $ref: "#/$defs/N" } } } } };
  const given = { n: { next: { next: null } } };
  expect(await check({ n: { $ref: "#/$defs/N" } }, given, more)).toEqual({ n: { next: {} } });
});

test("a schema that is of no use is a mistake of one's own, and left to the server of an MCP tool", async () => {
  const inputSchema = { type: "object", $defs: { L: { $ref: "#/$defs/L" } } };
  const tool = { name: "probe", description: "", inputSchema, execute: () => null };
  await expect(checkArguments(defineTool(tool), {})).rejects.toMatchObject({
    code: "invalid-schema",
    message: 'The inputSchema of tool "probe" refers to itself without end ("#/$defs/L").',
  });
  const remote = defineTool({ ...tool, source: { server: "s", name: "probe" } });
  expect(await checkArguments(remote, { other: 1 })).toEqual({ other: 1 });
});

test("alternatives that branch without end are followed only so far", async () => {
  const branches = (level: number): JsonSchema => ({
    anyOf: Array.from({ length: 100 }, () => ({ $ref: `#/$defs/level${level}` })),
  });
  const levels = [1, 2, 3, 4].map((level) => [`level${level}`, branches(level + 1)] as const);
  const more = { $defs: { ...Object.fromEntries(levels), level5: {} } };
  expect(await check({ n: branches(1) }, { n: { a: null } }, more)).toEqual({ n: { a: null } });
});

test("the error tells a model which tool, what is wrong where, and what to do", async () => {
  const properties = { plan: { enum: ["free", "pro"] }, seats: { type: "integer" } };
  const given = { plan: "gold", seats: "many" };
  await expect(check(properties, given)).rejects.toMatchObject({
    code: "invalid-arguments",
    message: `The arguments of tool "probe" are not valid, so it was not run:
- plan: must be one of ["free","pro"], got "gold"
- seats: must be "integer", got "many"
Call it again with arguments that fit its schema.`,
  });
});
