import { expect, test } from "vitest";
import { WordScorer } from "./word-scorer.ts";
import { wordsOf } from "./words.ts";

const words = (text: string) => wordsOf(text).map((word) => ({ word, weight: 1 }));
const documents = (...texts: readonly string[]) =>
  new WordScorer(texts.map((text) => [{ text, weight: 1 }]));

test("a document with a word of the message beats one without", () => {
  const [tea, coffee] = documents("brew tea", "brew coffee").scores(words("some tea please"));
  expect(tea).toBeGreaterThan(0);
  expect(coffee).toBe(0);
});

test("a word that few documents have counts more than one that most have", () => {
  const scorer = documents("file tea", "file coffee", "file milk", "file water");
  const [tea, coffee] = scorer.scores(words("tea file"));
  const [only] = scorer.scores(words("file"));
  expect(tea).toBeGreaterThan((coffee ?? 0) * 3);
  expect(coffee).toBe(only);
});

test("a synonym counts, and less than the word itself", () => {
  const [folder, directory, page] = documents("folder", "directory", "page").scores(
    words("folder"),
  );
  expect(directory).toBeGreaterThan(0);
  expect(folder).toBeGreaterThan(directory ?? 0);
  expect(page).toBe(0);
});

test("one word of the message counts once, however many synonyms of it a document has", () => {
  const scorer = documents("fetch aa bb", "fetch retrieve return", "retrieve return cc");
  const [one, many] = scorer.scores(words("get"));
  expect(one).toBeGreaterThan(0);
  expect(many).toBe(one);
});

test("a weightier field counts more", () => {
  const scorer = new WordScorer([
    [
      { text: "tea", weight: 3 },
      { text: "cup", weight: 0.5 },
    ],
    [
      { text: "cup", weight: 3 },
      { text: "tea", weight: 0.5 },
    ],
  ]);
  const [name, description] = scorer.scores(words("tea"));
  expect(name).toBeGreaterThan(description ?? 0);
});

test("no documents give no scores", () => {
  expect(new WordScorer([]).scores(words("tea"))).toEqual([]);
});
