import { collectPostings, type Posting } from "./index-postings.ts";
import { readMessage } from "./message-words.ts";
import { relatedWords } from "./related-words.ts";
import type { ScoredDocument } from "./scorer.ts";
import { SimilarWords } from "./similar-words.ts";
import { rootOf } from "./word-root.ts";
import { type Alternative, WordTally } from "./word-tally.ts";

/**
 * Finds tools among thousands by the words of a message, after BM25F: a word counts the more, the fewer
 * tools have it and the weightier and shorter the fields in which it stands. Where a tool lacks the
 * word, one of the same root, a synonym or a translation counts in its place, and for a word that no
 * tool has, one that is spelled much like it. A tool whose name is said, or that fits one clause of the
 * message well, comes before one that has a word of each.
 *
 * The index does not change. A document's words are kept with the document.
 */
export class ToolIndex {
  readonly #size: number;
  readonly #postings: ReadonlyMap<string, Posting>;
  /** The known words of each root. */
  readonly #families: ReadonlyMap<string, readonly string[]>;
  readonly #similar: SimilarWords;

  constructor(documents: readonly ScoredDocument[]) {
    this.#size = documents.length;
    this.#postings = collectPostings(documents);
    this.#families = Map.groupBy(this.#postings.keys(), rootOf);
    this.#similar = new SimilarWords(this.#postings.keys());
  }

  /** One score for each document, in their order; they compare within one message only. 0 is no match. */
  scores(message: string): Float64Array {
    const { all, clauses } = readMessage(message);
    const alternatives = new Map([...all].map((word) => [word, this.#alternatives(word)]));
    const scores = new Float64Array(this.#size);
    const best = new Float64Array(this.#size);
    const tally = new WordTally(this.#size);
    const add = (words: ReadonlySet<string>): void => {
      for (const word of words) {
        tally.add(alternatives.get(word) ?? []);
      }
    };
    for (const clause of clauses) {
      add(clause);
      tally.take((index, score) => {
        best[index] = Math.max(best[index] ?? 0, score);
      });
    }
    add(all);
    tally.take((index, score) => {
      scores[index] = score + (best[index] ?? 0);
    });
    return scores;
  }

  /** Where the words stand that may stand for a word of the message, and what each is worth. */
  #alternatives(word: string): readonly Alternative[] {
    const found = new Map<string, number>([[word, 1]]);
    const add = (others: Iterable<string>, closeness: number): void => {
      for (const other of others) {
        found.set(other, found.get(other) ?? closeness);
      }
    };
    add(this.#families.get(rootOf(word)) ?? [], closenessOf.root);
    for (const form of [...found.keys()]) {
      add(relatedWords(form), closenessOf.related);
    }
    const known = [...found].flatMap(([other, closeness]) => this.#stand(other, closeness));
    return known.length > 0
      ? known
      : this.#similar.of(word).flatMap((other) => this.#stand(other, closenessOf.spelling));
  }

  #stand(word: string, closeness: number): readonly Alternative[] {
    const posting = this.#postings.get(word);
    return posting === undefined ? [] : [{ posting, closeness, rarity: this.#rarity(posting) }];
  }

  /** The inverse document frequency of BM25, never negative. */
  #rarity({ documents }: Posting): number {
    return Math.log(1 + (this.#size - documents.length + 0.5) / (documents.length + 0.5));
  }
}

/** How well a word stands for another; 1 is the word itself. */
const closenessOf = { root: 0.7, spelling: 0.7, related: 0.3 } as const;
