import type { Posting } from "./index-postings.ts";

/** A word that may stand for one of a message. */
export interface Alternative {
  readonly posting: Posting;
  /** How well it stands for it; 1 is the word itself. */
  readonly closeness: number;
  /** How much it says that a document has it. */
  readonly rarity: number;
}

/** Adds up, for each document, what the words of a message gain it. Used again and again, to spare memory. */
export class WordTally {
  readonly #sums: Column;
  /** Which share of the document's name is said. */
  readonly #named: Column;
  readonly #gains: Column;
  readonly #shares: Column;

  constructor(size: number) {
    this.#sums = new Column(size);
    this.#named = new Column(size);
    this.#gains = new Column(size);
    this.#shares = new Column(size);
  }

  /** One word of the message: for each document, the best of its alternatives counts. */
  add(alternatives: readonly Alternative[]): void {
    for (const { posting, closeness, rarity } of alternatives) {
      this.#gains.raise(posting.documents, posting.weights, closeness * rarity);
      this.#shares.raise(posting.named, posting.shares, closeness);
    }
    this.#gains.moveTo(this.#sums);
    this.#shares.moveTo(this.#named);
  }

  /** Tells the score of every document that has one, and starts anew. */
  take(tell: (index: number, score: number) => void): void {
    this.#sums.take((index, sum) => {
      tell(index, sum * (1 + nameBonus * Math.min(this.#named.at(index), 1)));
    });
    this.#named.take(() => {});
  }
}

/** How much a document gains, at most, by having its whole name said. */
const nameBonus = 1.25;

/** A number for each document, most of them 0. */
class Column {
  readonly #values: Float64Array;
  /** The places that are not 0. */
  #touched: number[] = [];

  constructor(size: number) {
    this.#values = new Float64Array(size);
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (this.#values[index] === 0) {
      this.#touched.push(index);
    }
    this.#values[index] = value;
  }

  /** Sets `places` to `values` times `factor`, where that is more than is there. */
  raise(places: readonly number[], values: readonly number[], factor: number): void {
    for (let at = 0; at < places.length; at += 1) {
      const index = places[at] ?? 0;
      const value = factor * (values[at] ?? 0);
      if (value > this.at(index)) {
        this.set(index, value);
      }
    }
  }

  moveTo(other: Column): void {
    this.take((index, value) => other.set(index, other.at(index) + value));
  }

  take(tell: (index: number, value: number) => void): void {
    for (const index of this.#touched) {
      tell(index, this.at(index));
      this.#values[index] = 0;
    }
    this.#touched = [];
  }
}
