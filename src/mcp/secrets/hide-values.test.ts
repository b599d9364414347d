import { expect, test } from "vitest";
import { hideValues } from "./hide-values.ts";

test("known secrets are hidden in a text, the longer before the shorter", () => {
  const text = "key sk-12345678-long and sk-12345678, in PROD";
  expect(hideValues(text, ["sk-12345678", "sk-12345678-long", "PROD"])).toBe(
    "key [hidden] and [hidden], in PROD",
  );
});
