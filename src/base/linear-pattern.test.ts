import { expect, test } from "vitest";
import { checkJsonSchema, inspectJsonSchema } from "./json-schema.ts";
import { linearPatterns, loadPatternEngine } from "./linear-pattern.ts";

const matches = async (source: string, text: string): Promise<boolean | undefined> =>
  linearPatterns([source])
    .get(source)
    ?.test(text, await loadPatternEngine());

test.each([28, 1_000, 100_000])(
  "a pattern that makes others hang is decided, on %d characters",
  async (length) => {
    const text = "a".repeat(length);
    const pattern = "^(a+)+$";
    expect((await checkJsonSchema({ pattern }, text)).kind).toBe("valid");
    expect((await checkJsonSchema({ pattern }, `${text}!`)).kind).toBe("invalid");
    const patternProperties = { [pattern]: false };
    expect((await checkJsonSchema({ patternProperties }, { [text]: 1 })).kind).toBe("invalid");
  },
);

test.each([
  ["^\\d{4}-\\d\\d$", "2026-11", "2026-1"],
  ["^[\\w.-]+$", "a.b-c", "a b"],
  ["^\\s$", "\u00a0", "x"],
  ["^[\\s,]+$", "\u2003,", "x"],
  ["^.$", "😀", "\u2028"],
  ["^\\S+$", "ab", "\ufeff"],
  ["^\\u00e9\\u{1F600}$", "é😀", "e"],
  ["^\\p{L}+$", "é", "1"],
  ["^(?<year>\\d+)\\/(?:a|b)$", "1/a", "1/c"],
  ["^a{2,3}b{2,}$", "aabb", "ab"],
  ["a$", "ba", "a\n"],
  ["^[\\-\\]]$", "]", "a"],
])("%s means what it means in ECMAScript", async (source, match, miss) => {
  const native = new RegExp(source, "u");
  expect([native.test(match), native.test(miss)]).toEqual([true, false]);
  expect(await matches(source, match)).toBe(true);
  expect(await matches(source, miss)).toBe(false);
});

test.each([
  ["look-ahead", "^(?=a)a$"],
  ["look-behind", "(?<=a)b"],
  ["a back reference", "(a)\\1"],
  ["what is no pattern", "(("],
  ["groups without end", "(".repeat(4_000) + ")".repeat(4_000)],
  ["an automaton without bounds", "(?:(?:a{100}){100}b|c)".repeat(3)],
  ["a large automaton", Array.from({ length: 60 }, (_, i) => `${i}.{1000}`).join("|")],
  ["a long pattern", "a".repeat(60_000)],
  ["classes that do not close", "[".repeat(4_000)],
])("%s is not checked, and the rest of the schema is", async (_what, pattern) => {
  const schema = { pattern, maxLength: 2 };
  expect(inspectJsonSchema(schema)).toEqual({ uncheckedPatterns: [pattern] });
  expect((await checkJsonSchema(schema, "xy")).kind).toBe("valid");
  expect((await checkJsonSchema(schema, "xyz")).kind).toBe("invalid");
});

test("a property whose pattern is not checked does not count as unknown", async () => {
  const schema = { patternProperties: { "^(?=x)": {} }, additionalProperties: false };
  expect((await checkJsonSchema(schema, { y: 1 })).kind).toBe("valid");
});

test("a text that would take too long is not tested", async () => {
  const pattern = "^(?:a?){500}b$";
  expect((await checkJsonSchema({ pattern }, "a".repeat(100))).kind).toBe("invalid");
  expect((await checkJsonSchema({ pattern }, "a".repeat(1_000_000))).kind).toBe("valid");
});

test("the patterns of one schema share a bound", () => {
  const sources = Array.from({ length: 100 }, (_unused, index) => `^(?:ab?c){300}${index}$`);
  const patterns = linearPatterns(sources);
  const built = [...patterns.values()].filter((pattern) => pattern !== undefined);
  expect(built.length).toBeGreaterThan(5);
  expect(built.length).toBeLessThan(60);
});
