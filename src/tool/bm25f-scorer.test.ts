import { expect, test } from "vitest";
import { createBm25fScorer } from "./bm25f-scorer.ts";

const scorer = createBm25fScorer();
const score = (message: string, documents: Parameters<typeof scorer.score>[1]) =>
  scorer.score(message, documents, { signal: new AbortController().signal });

test("the best document has 1, the others their share of it, whatever the message", () => {
  const tools = ["read_file", "read_mail", "sing"].map((name) => ({ name, description: "" }));
  expect(score("read a file", tools)).toEqual([1, expect.any(Number), 0]);
  expect(score("nothing of the kind", tools)).toEqual([0, 0, 0]);
});

test("a server is as good as the best of its tools", () => {
  const server = { name: "s", description: "" };
  const tools = ["read_file", "sing"].map((name) => ({ name, description: "", server }));
  expect(
    score("sing", [
      { ...server, tools },
      { name: "t", description: "songs" },
    ]),
  ).toEqual([1, 0]);
});

test("a document that has changed is not taken for what it was", () => {
  const before = [{ name: "tea", description: "" }];
  expect(score("coffee", before)).toEqual([0]);
  expect(score("coffee", [{ name: "coffee", description: "" }])).toEqual([1]);
  expect(score("coffee", before)).toEqual([0]);
});

test("no documents give no scores", () => {
  expect(score("tea", [])).toEqual([]);
});
