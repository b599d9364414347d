/**
 * ` Did you mean "x"?` for the name that is closest to what was written, or the empty string where
 * none is close.
 */
export function didYouMean(written: string, names: Iterable<string>): string {
  const closest = closestName(written, names);
  return closest === undefined ? "" : ` Did you mean "${closest}"?`;
}

/**
 * The name that is closest to `written`: at most a third of it differs, and case does not count. Where
 * none is, the shortest that begins with it.
 */
export function closestName(written: string, names: Iterable<string>): string | undefined {
  const wanted = fold(written);
  const all = [...names];
  let closest: string | undefined;
  let smallest = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of all) {
    const distance = editDistance(wanted, fold(name));
    if (distance < smallest) {
      smallest = distance;
      closest = name;
    }
  }
  return closest ?? shortestBeginningWith(wanted, all);
}

function shortestBeginningWith(wanted: string, names: readonly string[]): string | undefined {
  const beginning = names.filter((name) => wanted.length > 2 && fold(name).startsWith(wanted));
  return beginning.sort((left, right) => left.length - right.length)[0];
}

/** Case, `-`, `_`, `.` and blanks are what people get wrong first: they cost nothing. */
const fold = (name: string): string => name.toLowerCase().replace(/[-_.\s]/g, "");

/** Longer names are not compared to the end: the cost grows with the product of the lengths. */
const longestCompared = 100;

/** How many characters must be put in, taken out or replaced (Levenshtein). */
function editDistance(left: string, right: string): number {
  const from = [...left.slice(0, longestCompared)];
  const to = [...right.slice(0, longestCompared)];
  let previous = Array.from({ length: to.length + 1 }, (_unused, index) => index);
  for (const [row, character] of from.entries()) {
    const current = [row + 1];
    for (const [column, other] of to.entries()) {
      const replaced = (previous[column] ?? 0) + (character === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
