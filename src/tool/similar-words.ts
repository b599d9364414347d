/** Finds the words that somebody may have meant who mistyped one. */
export class SimilarWords {
  readonly #byStart: ReadonlyMap<string, readonly string[]>;

  constructor(words: Iterable<string>) {
    this.#byStart = Map.groupBy(words, (word) => word.slice(0, 1));
  }

  /**
   * The known words that differ from `word` in one letter (put in, taken out, replaced, or changed
   * places with its neighbour), but not in the first. None for a short word: too much is like it.
   */
  of(word: string): readonly string[] {
    return word.length < shortest
      ? []
      : (this.#byStart.get(word.slice(0, 1)) ?? []).filter((other) => isOneSlip(word, other));
  }
}

const shortest = 6;

function isOneSlip(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1) {
    return false;
  }
  let at = 0;
  while (at < left.length && left[at] === right[at]) {
    at += 1;
  }
  if (left.length > right.length) {
    return left.slice(at + 1) === right.slice(at);
  }
  if (left.length < right.length) {
    return left.slice(at) === right.slice(at + 1);
  }
  const isSwapped = left[at] === right[at + 1] && left[at + 1] === right[at];
  return (
    left.slice(at + 1) === right.slice(at + 1) ||
    (isSwapped && left.slice(at + 2) === right.slice(at + 2))
  );
}
