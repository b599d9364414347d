import { contentWordsOf } from "./message-words.ts";
import type { ScoredDocument, Scorer } from "./scorer.ts";

/**
 * The plain way: the cosine of the angle between how often each word stands in the message, and how
 * often in name and description. From 0 to 1.
 */
export const tfCosineScorer: Scorer = {
  name: "tf-cosine",
  threshold: 0.05,
  usesTools: false,
  score(message, documents) {
    const wanted = countWords(message);
    return documents.map((document) => cosine(wanted, countsOf(document)));
  },
};

/** The words of documents that are still in use. */
const kept = new WeakMap<ScoredDocument, WordCounts>();

function countsOf(document: ScoredDocument): WordCounts {
  const { name, description } = document;
  const counts = kept.get(document) ?? countWords(`${name}\n${description}`);
  kept.set(document, counts);
  return counts;
}

type WordCounts = ReadonlyMap<string, number>;

function countWords(text: string): WordCounts {
  const counts = new Map<string, number>();
  for (const word of contentWordsOf(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function cosine(left: WordCounts, right: WordCounts): number {
  const length = lengthOf(left) * lengthOf(right);
  const product = [...left].reduce((sum, [word, count]) => sum + count * (right.get(word) ?? 0), 0);
  return length === 0 ? 0 : product / length;
}

const lengthOf = (counts: WordCounts): number =>
  Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));
