import { expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../src/base/json.ts";
import { toJsonSchema } from "../../src/base/schema.ts";
import { firstDrafts, fromDrafts } from "./draft.ts";
import { fieldsOf, type SchemaField } from "./schema-field.ts";

const fieldsOfZod = (schema: z.ZodType): readonly SchemaField[] =>
  fieldsOf(toJsonSchema(schema, "input", "the test") as JsonObject) ?? []; // plain JSON

test("P1: a schema becomes fields by type, with names, descriptions, choices and defaults", () => {
  const fields = fieldsOfZod(
    z.object({
      order: z.string().describe("Its number."),
      mail: z.email().optional(),
      amount: z.number().min(1).max(9),
      count: z.int(),
      why: z.enum(["late", "broken"]),
      notify: z.boolean().default(true),
      tags: z.array(z.string()).optional(),
      kinds: z.array(z.enum(["a", "b"])).optional(),
      address: z.object({ street: z.string(), zip: z.string().nullable() }).optional(),
      more: z.record(z.string(), z.unknown()).optional(),
    }),
  );
  const gist = fields.map(
    ({ kind, name, isRequired }) => `${kind} ${name}${isRequired ? "" : "?"}`,
  );
  expect(gist).toEqual([
    "text order",
    "text mail?",
    "number amount",
    "number count",
    "choice why",
    "boolean notify?",
    "list tags?",
    "choices kinds?",
    "group address?",
    "json more?",
  ]);
  expect(fields[0]).toMatchObject({ description: "Its number.", format: "long" });
  expect(fields[1]).toMatchObject({ format: "email" });
  expect(fields[2]).toMatchObject({ minimum: 1, maximum: 9, isWhole: false });
  expect(fields[5]).toMatchObject({ initial: true });
});

test("references, nullable values, titled choices and constants are understood", () => {
  const fields = fieldsOf({
    type: "object",
    properties: {
      from: { $ref: "#/$defs/place" },
      to: { anyOf: [{ $ref: "#/$defs/place" }, { type: "null" }], title: "Where to" },
      size: {
        oneOf: [
          { const: 1, title: "Small" },
          { const: 2, title: "Large" },
        ],
      },
      old: { type: "string", enum: ["x"], enumNames: ["The X"] },
      any: {},
    },
    $defs: { place: { type: "string", enum: ["Rome", "Oslo"] } },
  });
  expect(fields).toMatchObject([
    { kind: "choice", choices: [{ label: "Rome" }, { label: "Oslo" }] },
    { kind: "choice", label: "Where to" },
    {
      kind: "choice",
      choices: [
        { value: 1, label: "Small" },
        { value: 2, label: "Large" },
      ],
    },
    { kind: "choice", choices: [{ value: "x", label: "The X" }] },
    { kind: "json" },
  ]);
});

test("what has no fields is written as JSON, and a schema that goes in circles ends", () => {
  expect(fieldsOf({ anyOf: [{ type: "object" }] })).toBeUndefined();
  expect(fieldsOf({})).toBeUndefined();
  expect(fieldsOf({ type: "object" })).toEqual([]);
  const circle = { type: "object", properties: { child: { $ref: "#" } } };
  expect(JSON.stringify(fieldsOf(circle))).toContain('"json"');
  expect(fieldsOf({ type: "object", properties: { a: { $ref: "#/gone" } } })).toMatchObject([
    { kind: "json" },
  ]);
});

const fields = fieldsOfZod(
  z.object({
    order: z.string(),
    amount: z.number().min(1),
    why: z.enum(["late", "broken"]).optional(),
    notify: z.boolean().default(true),
    lines: z.array(z.object({ sku: z.string(), count: z.int() })).optional(),
    address: z.object({ street: z.string() }).optional(),
    more: z.unknown().optional(),
  }),
);

test("what was filled in becomes the value, and what was left empty is left out", () => {
  const first = firstDrafts(fields);
  expect(first["notify"]).toBe(true);
  const drafts = {
    ...first,
    order: "4711",
    amount: "6.5",
    why: "1",
    lines: [{ sku: "L1", count: "2" }],
    more: '{"x": [1]}',
  };
  expect(fromDrafts(fields, drafts)).toEqual({
    value: {
      order: "4711",
      amount: 6.5,
      why: "broken",
      notify: true,
      lines: [{ sku: "L1", count: 2 }],
      more: { x: [1] },
    },
    faults: {},
  });
});

test("what is wrong is told at its place", () => {
  const drafts = {
    ...firstDrafts(fields),
    amount: "0",
    lines: [{ sku: "", count: "1.5" }],
    more: "{",
  };
  expect(Object.keys(fromDrafts(fields, drafts).faults)).toEqual([
    "order",
    "amount",
    "lines[0].sku",
    "lines[0].count",
    "more",
  ]);
});
