import { expect, test } from "vitest";
import { resolveSelection, type Selection } from "./selection.ts";

const values: readonly (Selection<string> | undefined)[] = [
  undefined,
  "inherit",
  "none",
  ["a"],
  [],
];

/** The rule in other words: walk inwards, each level says what holds from there on. */
function expected(levels: readonly (Selection<string> | undefined)[]) {
  let held: "none" | readonly string[] | undefined;
  for (const level of levels) {
    held = level === undefined || level === "inherit" ? held : level;
  }
  return held;
}

test("R8: over all combinations of four levels the innermost that says something decides", () => {
  for (const global of values) {
    for (const network of values) {
      for (const agent of values) {
        for (const run of values) {
          const levels = [global, network, agent, run];
          expect(resolveSelection(levels)).toEqual(expected(levels));
        }
      }
    }
  }
});

test("without any level that names something, nothing is selected", () => {
  expect(resolveSelection([])).toBeUndefined();
  expect(resolveSelection(["inherit", undefined])).toBeUndefined();
});
