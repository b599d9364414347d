import { wordsOf } from "./words.ts";

/** Lines of words that belong together. A word may stand in several. */
export class WordGroups {
  readonly #lines: readonly string[];
  #others: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** What stands beside the word, itself left out; words in and out are as `wordsOf` gives them. */
  besides(word: string): ReadonlySet<string> {
    // Splitting the lines takes a part of the package's import; most processes never ask.
    this.#others ??= tabulate(this.#lines);
    return this.#others.get(word) ?? none;
  }
}

const none: ReadonlySet<string> = new Set();

function tabulate(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of lines) {
    const words = wordsOf(line);
    for (const word of words) {
      const others = found.get(word) ?? new Set();
      for (const other of words.filter((candidate) => candidate !== word)) {
        others.add(other);
      }
      found.set(word, others);
    }
  }
  return found;
}
