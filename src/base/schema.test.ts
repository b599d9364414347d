import { type } from "arktype";
import { expect, test } from "vitest";
import * as z from "zod";
import { ConfigurationError } from "./dragoman-error.ts";
import { checkSchema, type Schema, toJsonSchema } from "./schema.ts";

const plain = {
  type: "object",
  properties: {
    plan: { enum: ["free", "pro"] },
    seats: { type: "integer", minimum: 1 },
    tags: { type: "array", items: { type: "object", required: ["k"] } },
  },
  required: ["plan"],
  additionalProperties: false,
};

const issuesOf = async (schema: Schema, value: unknown): Promise<readonly string[]> => {
  const check = await checkSchema(schema, value);
  return check.kind === "invalid"
    ? check.issues.map(({ path, message }) => `${path}: ${message}`)
    : [];
};

test("a plain JSON Schema lets a valid value through unchanged", async () => {
  const value = { plan: "pro", seats: 3 };
  expect(await checkSchema(plain, value)).toEqual({ kind: "valid", value });
});

test("each issue of a plain JSON Schema says where and what, once", async () => {
  const issues = await issuesOf(plain, { plan: "gold", seats: 0, tags: [{}], extra: 1 });
  expect(issues).toEqual([
    'plan: must be one of ["free","pro"], got "gold"',
    "seats: must be at least 1, got 0",
    'tags[0]: missing required property "k"',
    ': unknown property "extra"',
  ]);
  expect(await issuesOf(plain, {})).toEqual([': missing required property "plan"']);
});

test("a property whose name holds / or ~ is named as it is", async () => {
  const schema = { type: "object", properties: { "a/b~c": { type: "string" } } };
  expect(await issuesOf(schema, { "a/b~c": 1 })).toEqual(['a/b~c: must be "string", got 1']);
});

test.each([
  ["zod", z.object({ plan: z.enum(["free", "pro"]), seats: z.number().default(1) })],
  ["arktype", type({ plan: "'free' | 'pro'", seats: "number = 1" })],
])("a %s schema checks, fills in defaults and shows itself as JSON Schema", async (_, schema) => {
  expect(await checkSchema(schema as Schema, { plan: "pro" })).toEqual({
    kind: "valid",
    value: { plan: "pro", seats: 1 },
  });
  expect((await issuesOf(schema as Schema, { plan: "gold" }))[0]).toMatch(/^plan: /);
  const json = toJsonSchema(schema as Schema, "input", "schema");
  expect(json).toMatchObject({ type: "object", required: ["plan"] });
  expect(json).not.toHaveProperty("$schema");
});

test("a Standard Schema that cannot be shown as JSON Schema is a configuration error that says what to do", () => {
  const schema: Schema = {
    "~standard": { version: 1, vendor: "acme", validate: (value) => ({ value }) },
  };
  expect(() => toJsonSchema(schema, "input", 'inputSchema of tool "x"')).toThrow(
    /inputSchema of tool "x" is a acme schema.*plain JSON Schema/,
  );
  expect(() => toJsonSchema(z.object({ at: z.date() }), "input", "schema")).toThrow(
    ConfigurationError,
  );
});
