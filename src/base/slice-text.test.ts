import { expect, test } from "vitest";
import { sliceText } from "./slice-text.ts";

test.each([
  [0, 2, "a"],
  [0, 3, "a🌍"],
  [2, 4, "b"],
  [2, 2, ""],
  [1, undefined, "🌍b"],
] as const)("from %s to %s no character is cut in two", (start, end, expected) => {
  expect(sliceText("a🌍b", start, end)).toBe(expected);
});
