import { expect, test } from "vitest";
import { checkNumbers, type NumberRule } from "./check-numbers.ts";
import { ConfigurationError } from "./dragoman-error.ts";

const wrong: readonly (readonly [NumberRule, unknown, string])[] = [
  ["milliseconds", Number.NaN, "NaN; it must be a number of milliseconds above 0."],
  ["milliseconds", 0, "0; it must be a number of milliseconds above 0."],
  ["milliseconds", -5, "-5; it must be a number of milliseconds above 0."],
  ["milliseconds", "5", 'the text "5"; it must be a number of milliseconds above 0.'],
  ["milliseconds", null, "null; it must be a number of milliseconds above 0."],
  ["milliseconds", 5n, "5; it must be a number of milliseconds above 0."],
  ["milliseconds-or-0", -1, "-1; it must be a number of milliseconds, 0 or more."],
  ["count", 1.5, "1.5; it must be a whole number above 0."],
  ["count", Number.POSITIVE_INFINITY, "Infinity; it must be a whole number above 0."],
  ["count", {}, "a value of type object; it must be a whole number above 0."],
  ["count-or-0", -1, "-1; it must be a whole number, 0 or more."],
  ["bytes", 0.5, "0.5; it must be a whole number of bytes above 0."],
  ["bytes", Number.NEGATIVE_INFINITY, "-Infinity; it must be a whole number of bytes above 0."],
];

test.each(wrong)("as %s, %s is refused by name", (rule, value, words) => {
  const check = () => checkNumbers({ x: value }, { x: rule }, { where: "of the run" });
  expect(check).toThrow(ConfigurationError);
  expect(check).toThrow(`x of the run is ${words}`);
});

test.each<readonly [NumberRule, unknown]>([
  ["milliseconds", 0.5],
  ["milliseconds", Number.POSITIVE_INFINITY],
  ["milliseconds-or-0", 0],
  ["count", 1],
  ["count-or-0", 0],
  ["bytes", 1],
  ["bytes", Number.POSITIVE_INFINITY],
  ["count", undefined],
])("as %s, %s passes", (rule, value) => {
  expect(() => checkNumbers({ x: value }, { x: rule }, { where: "here" })).not.toThrow();
});

test("the code is the caller's, and a long text is cut", () => {
  const place = { where: "here", code: "invalid-definition" } as const;
  expect(() => checkNumbers({ x: "y".repeat(1_000) }, { x: "count" }, place)).toThrow(
    expect.objectContaining({
      code: "invalid-definition",
      message: expect.stringMatching(/^x here is the text "y{40}"/),
    }),
  );
});
