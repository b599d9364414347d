import { expect, test } from "vitest";
import { checkJsonSchema, inspectJsonSchema, type JsonSchema } from "./json-schema.ts";

const verdictOf = async (schema: JsonSchema, value: unknown): Promise<string> =>
  (await checkJsonSchema(schema, value)).kind;

const issuesOf = async (schema: JsonSchema, value: unknown): Promise<readonly string[]> => {
  const check = await checkJsonSchema(schema, value);
  return check.kind === "invalid"
    ? check.issues.map(({ path, message }) => `${path}: ${message}`)
    : [check.kind];
};

const tree = {
  $id: "https://example.com/tree",
  $dynamicAnchor: "node",
  type: "object",
  properties: { children: { items: { $dynamicRef: "#node" } } },
};
const strictTree = {
  $id: "https://example.com/strict",
  $dynamicAnchor: "node",
  $ref: "tree",
  unevaluatedProperties: false,
  $defs: { tree },
};

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits this object.
const conditional = { if: { minimum: 5 }, then: { maximum: 9 }, else: { const: 0 } };

test.each<[keyword: string, schema: JsonSchema, valid: unknown, invalid: unknown]>([
  ["type", { type: ["integer", "null"] }, 2, 2.5],
  ["const", { const: { a: [1] } }, { a: [1] }, { a: [1, 2] }],
  ["enum", { enum: ["a", { b: 1, c: 2 }] }, { c: 2, b: 1 }, { b: 1 }],
  ["minimum", { minimum: 1 }, 1, 0.5],
  ["maximum", { maximum: 1 }, 1, 1.5],
  ["exclusiveMinimum", { exclusiveMinimum: 1 }, 1.1, 1],
  ["exclusiveMaximum", { exclusiveMaximum: 1 }, 0, 1],
  ["exclusiveMinimum of draft 4", { minimum: 1, exclusiveMinimum: true }, 2, 1],
  ["multipleOf", { multipleOf: 0.1 }, 0.3, 0.35],
  ["minLength in characters", { minLength: 2 }, "😀a", "😀"],
  ["maxLength in characters", { maxLength: 1 }, "😀", "ab"],
  ["pattern", { pattern: "b+$" }, "abb", "ba"],
  ["required", { required: ["a"] }, { a: null }, { b: 1 }],
  ["properties", { properties: { a: { type: "string" } } }, { b: 1 }, { a: 1 }],
  [
    "patternProperties",
    { patternProperties: { "^x-": { type: "string" } } },
    { y: 1 },
    { "x-y": 1 },
  ],
  [
    "additionalProperties",
    { properties: { a: {} }, patternProperties: { "^x": {} }, additionalProperties: false },
    { a: 1, x1: 2 },
    { b: 1 },
  ],
  ["propertyNames", { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
  ["minProperties", { minProperties: 1 }, { a: 1 }, {}],
  ["maxProperties", { maxProperties: 1 }, { a: 1 }, { a: 1, b: 2 }],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1, b: 2 }, { a: 1 }],
  ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, { b: 1 }, { a: 1 }],
  ["dependencies of draft 7", { dependencies: { a: ["b"] } }, { b: 1 }, { a: 1 }],
  ["prefixItems", { prefixItems: [{ type: "string" }], items: false }, ["a"], ["a", 1]],
  ["items", { items: { type: "string" } }, ["a"], ["a", 1]],
  ["items of draft 7", { items: [{ type: "string" }], additionalItems: false }, ["a"], ["a", "b"]],
  ["contains", { contains: { const: 1 } }, [0, 1], [0]],
  ["minContains", { contains: { const: 1 }, minContains: 2 }, [1, 1], [1]],
  ["maxContains", { contains: { const: 1 }, maxContains: 1 }, [1, 0], [1, 1]],
  ["minItems", { minItems: 1 }, [0], []],
  ["maxItems", { maxItems: 1 }, [0], [0, 1]],
  [
    "uniqueItems",
    { uniqueItems: true },
    [1, "1"],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ],
  ["allOf", { allOf: [{ minimum: 1 }, { maximum: 2 }] }, 2, 3],
  ["anyOf", { anyOf: [{ type: "string" }, { minimum: 2 }] }, 2, 1],
  ["oneOf", { oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 1, 2],
  ["not", { not: { type: "string" } }, 1, "a"],
  ["if", conditional, 7, 10],
  ["else", conditional, 0, 1],
  ["$ref", { $ref: "#/$defs/a~1b%25", $defs: { "a/b%": { type: "string" } } }, "a", 1],
  ["$anchor", { $ref: "#a", $defs: { x: { $anchor: "a", type: "string" } } }, "a", 1],
  ["$id", { $ref: "urn:x", $defs: { x: { $id: "urn:x", type: "string" } } }, "a", 1],
  ["a recursive $ref", { items: { $ref: "#" }, maxItems: 1 }, [[[]]], [[[], []]]],
  ["$dynamicRef", strictTree, { children: [{ children: [] }] }, { children: [{ other: 1 }] }],
  [
    "unevaluatedProperties",
    { anyOf: [{ properties: { a: {} }, required: ["a"] }, {}], unevaluatedProperties: false },
    { a: 1 },
    { b: 1 },
  ],
  ["unevaluatedItems", { allOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [1], [1, 2]],
  ["false", { properties: { a: false } }, { b: 1 }, { a: 1 }],
])("%s is checked", async (_keyword, schema, valid, invalid) => {
  expect(await verdictOf(schema, valid)).toBe("valid");
  expect(await verdictOf(schema, invalid)).toBe("invalid");
});

test.each<[format: string, valid: readonly string[], invalid: readonly string[]]>([
  ["date", ["2024-02-29"], ["2023-02-29", "2024-2-1"]],
  ["time", ["23:59:60Z"], ["24:00:00Z", "12:00:00"]],
  ["date-time", ["2024-01-01T00:00:00.5+01:00"], ["2024-01-01", "2024-01-01T00:00:00"]],
  ["email", ["a.b+c@example.com"], ["a@", "@b", "a b@c.d"]],
  ["hostname", ["example.com"], ["-a.com", "a..b"]],
  ["ipv4", ["127.0.0.1"], ["256.1.1.1", "1.1.1"]],
  ["ipv6", ["::1", "2001:db8::7"], ["1::2::3", "gg::"]],
  ["uri", ["https://example.com/a?b#c", "urn:x:y"], ["/a", "http://a b"]],
  ["uuid", ["2eb8aa08-aa98-11ea-b4aa-73b441d16380"], ["2eb8aa08"]],
  ["unheard-of", ["anything"], []],
])("the format %s is an annotation, unless it is asked for", async (format, valid, invalid) => {
  const check = async (text: string): Promise<string> =>
    (await checkJsonSchema({ format }, text, { formats: true })).kind;
  expect(await Promise.all(valid.map(check))).toEqual(valid.map(() => "valid"));
  expect(await Promise.all(invalid.map(check))).toEqual(invalid.map(() => "invalid"));
  expect(await Promise.all(invalid.map((text) => verdictOf({ format }, text)))).toEqual(
    invalid.map(() => "valid"),
  );
});

test("of alternatives the one that was meant is explained", async () => {
  const circle = { properties: { kind: { const: "circle" }, r: { type: "number" } } };
  const schema = { anyOf: [{ type: "null" }, { type: "object", ...circle, required: ["r"] }] };
  expect(await issuesOf(schema, { kind: "circle", r: "1" })).toEqual([
    'r: must be "number", got "1"',
  ]);
  expect(await issuesOf(schema, 7)).toEqual([': must be "null" or "object", got 7']);
  expect(await issuesOf({ anyOf: [{ minimum: 3 }, { multipleOf: 2 }] }, 1)).toEqual([
    ": fits none of 2 alternatives (must be at least 3, got 1; or must be a multiple of 2, got 1), got 1",
  ]);
});

const nested = (depth: number, wrap: (inner: object) => object): JsonSchema => {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level += 1) {
    schema = wrap(schema);
  }
  return schema as JsonSchema;
};

/** 60 definitions, each of which applies the next one twice. */
const doubling = {
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: 61 }, (_unused, index) => {
      const $ref = `#/$defs/d${index + 1}`;
      return [`d${index}`, index === 60 ? { type: "object" } : { allOf: [{ $ref }, { $ref }] }];
    }),
  ),
};

test.each<[what: string, schema: JsonSchema]>([
  ["a reference to itself", { $ref: "#" }],
  [
    "a circle of references",
    { anyOf: [{ $ref: "#/$defs/a" }], $defs: { a: { not: { $ref: "#" } } } },
  ],
  ["a reference that leads nowhere", { $ref: "#/$defs/Gone" }],
  ["a reference to elsewhere", { properties: { a: { $ref: "https://example.com/schema" } } }],
  ["a type that does not exist", { type: "nope" }],
  ["a keyword of the wrong form", { properties: ["a"] }],
])("%s makes a schema of no use, which can be told beforehand", async (_what, schema) => {
  const { fault } = inspectJsonSchema(schema);
  expect(fault).toMatch(/^(refers|has a keyword)/);
  expect(await checkJsonSchema(schema, {})).toEqual({
    kind: "unchecked",
    cause: "schema",
    reason: fault,
  });
});

test.each<[what: string, schema: JsonSchema, value: unknown]>([
  ["references that double", doubling, {}],
  ["5 000 schemas within each other", nested(5_000, (inner) => ({ allOf: [inner] })), 1],
  [
    "alternatives for each level of a value",
    { anyOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }], minItems: 1 },
    JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`),
  ],
  [
    "10 000 alternatives for each of 10 000 items",
    { items: { anyOf: Array.from({ length: 10_000 }, (_unused, index) => ({ const: index })) } },
    Array.from({ length: 10_000 }, () => -1),
  ],
  ["a million unique items", { uniqueItems: true }, Array.from({ length: 1_000_000 }, (_, i) => i)],
])("the work has a bound: %s", async (_what, schema, value) => {
  expect(await checkJsonSchema(schema, value)).toMatchObject({ kind: "unchecked", cause: "cost" });
});

test("a deep schema is checked as deep as the value goes", async () => {
  const schema = nested(500, (inner) => ({ type: "object", properties: { a: inner } }));
  expect(await issuesOf(schema, { a: { a: 1 } })).toEqual(['a.a: must be "object", got 1']);
});

test("a value that is deeper than anybody means is not valid", async () => {
  const deep = nested(100_000, (inner) => ({ inner }));
  expect(await issuesOf({}, deep)).toEqual([": is nested more than 256 deep"]);
});

test("no more than ten issues are told, however many there are", async () => {
  expect(await issuesOf({ items: { type: "string" } }, Array(1_000).fill(1))).toHaveLength(10);
});
