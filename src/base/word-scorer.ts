import { synonymsOf, synonymWeight } from "./synonyms.ts";
import { wordsOf } from "./words.ts";

/** A part of a document: its text, and how much a word in it says about the document. */
export interface ScoredField {
  readonly text: string;
  readonly weight: number;
}

/** A word that is looked for, as `wordsOf` gives it, and how much it counts (1 is the norm). */
export interface ScoredWord {
  readonly word: string;
  readonly weight: number;
}

/**
 * Scores documents (tools, servers) against the words of a message, after BM25: a word counts the
 * more, the fewer documents have it and the weightier and shorter the field in which it stands. Where
 * a document lacks the word, its best synonym counts in its place.
 *
 * Scores compare the documents of one scorer for one message, and nothing else; 0 is no match at all.
 */
export class WordScorer {
  readonly #documents: readonly ReadonlyMap<string, number>[];
  readonly #frequency: ReadonlyMap<string, number>;

  constructor(documents: readonly (readonly ScoredField[])[]) {
    this.#documents = documents.map(weigh);
    this.#frequency = countDocuments(this.#documents);
  }

  /** One score for each document, in their order. */
  scores(message: readonly ScoredWord[]): readonly number[] {
    const wanted = message.map(({ word, weight }) => [
      { word, weight: weight * this.#rarity(word) },
      ...[...synonymsOf(word)].map((synonym) => ({
        word: synonym,
        weight: weight * synonymWeight * this.#rarity(synonym),
      })),
    ]);
    return this.#documents.map((document) => {
      const gains = wanted.map((alternatives) =>
        Math.max(...alternatives.map(({ word, weight }) => weight * (document.get(word) ?? 0))),
      );
      return gains.reduce((sum, gain) => sum + gain, 0);
    });
  }

  /** The inverse document frequency of BM25, never negative. */
  #rarity(word: string): number {
    const having = this.#frequency.get(word) ?? 0;
    return Math.log(1 + (this.#documents.length - having + 0.5) / (having + 0.5));
  }
}

/** Fields of this many words weigh what they are given; longer ones less. */
const usualLength = 3;

/** What each word of a document counts, from 0 to 1: much of the same adds ever less. */
function weigh(fields: readonly ScoredField[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { text, weight } of fields) {
    const words = new Set(wordsOf(text));
    const share = weight / (0.75 + 0.25 * Math.min(words.size / usualLength, 4));
    for (const word of words) {
      weights.set(word, (weights.get(word) ?? 0) + share);
    }
  }
  return new Map([...weights].map(([word, weight]) => [word, weight / (weight + 1)]));
}

function countDocuments(
  documents: readonly ReadonlyMap<string, number>[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of documents.flatMap((document) => [...document.keys()])) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
