import { expect, test } from "vitest";
import { tfCosineScorer } from "./tf-cosine-scorer.ts";

const score = (message: string, description: string) =>
  tfCosineScorer.score(message, [{ name: "", description }], {
    signal: new AbortController().signal,
  });

test("it is the cosine between the counts of the words", () => {
  expect(score("tea coffee", "tea coffee")).toEqual([expect.closeTo(1)]);
  expect(score("tea", "tea coffee")).toEqual([expect.closeTo(1 / Math.sqrt(2))]);
  expect(score("tea tea coffee", "tea milk")).toEqual([expect.closeTo(2 / Math.sqrt(10))]);
  expect(score("tea", "coffee")).toEqual([0]);
});

test("grammar and endings do not count, and nothing is 0", () => {
  expect(score("Please install the packages", "installs a package")).toEqual([expect.closeTo(1)]);
  expect(score("", "tea")).toEqual([0]);
  expect(score("tea", "")).toEqual([0]);
});
