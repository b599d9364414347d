import { pronounObjects } from "./offline-grammar.ts";
import { type Entry, isFolder } from "./offline-results.ts";
import { isPathLike, type Token } from "./offline-tokens.ts";

/** What was said or done before the clause. */
export interface Referents {
  /** What the request before was about: the things that it listed, or the value that it was given. */
  readonly values: readonly string[];
  /** The tokens of what was said before, the latest last. */
  readonly said: readonly (readonly Token[])[];
}

/**
 * A clause with `it` and `them` replaced by what they stand for: values of the request before, else the
 * last path, name or quoted text that was said. A clause with a value of its own keeps its pronouns.
 */
export function resolvePronouns(
  clause: readonly Token[],
  { values, said }: Referents,
): readonly Token[] {
  const index = clause.findIndex(
    ({ kind, lower }, place) =>
      kind === "word" &&
      (pronounObjects.has(lower) ||
        (/^(?:that|this|her)$/.test(lower) && place === clause.length - 1)),
  );
  const pronoun = clause[index];
  if (pronoun === undefined || clause.some(({ kind }) => kind === "path" || kind === "quoted")) {
    return clause;
  }
  const spoken = said
    .toReversed()
    .map((tokens) => mainTokens(tokens))
    .find((tokens) => tokens.length > 0);
  const made = values.map(
    (value): Token => ({
      ...pronoun,
      kind: isPathLike(value) ? "path" : "quoted",
      value,
      lower: value.toLowerCase(),
      stems: [],
    }),
  );
  const plural = /^(?:them|they|these|those|both)$/.test(pronoun.lower);
  const found = made.length > 0 ? made : (spoken ?? []);
  const meant = plural ? found : found.slice(0, 1);
  return meant.length === 0 ? clause : clause.toSpliced(index, 1, ...meant);
}

function mainTokens(tokens: readonly Token[]): readonly Token[] {
  const kinds = ["path", "url", "quoted"] as const;
  const typed = kinds.map((wanted) => tokens.filter(({ kind }) => kind === wanted));
  return typed.find((found) => found.length > 0) ?? [];
}

/**
 * The entries of a list that a later request means: by ordinal (`the second file`), by a word of their
 * name, all of them where it says so and `many` are wanted, else the first. Files come before folders
 * unless the request says folder.
 */
export function pickEntries(
  entries: readonly Entry[],
  tokens: readonly Token[],
  many: boolean,
): readonly Entry[] {
  const said = tokens.map(({ lower }) => lower);
  const folders = said.some((word) => /^(?:folders?|director(?:y|ies))$/.test(word));
  const fitting = entries.filter((entry) => isFolder(entry) === folders);
  const named = fitting.filter(({ name }) =>
    said.some((word) => word.length > 2 && stemOf(name).includes(word)),
  );
  const pool = named.length > 0 ? named : fitting.length > 0 ? fitting : entries;
  if (many && said.some((word) => /^(?:all|each|every|them|both|these|those|files)$/.test(word))) {
    return pool;
  }
  const ordinal = said.map((word) => ordinals.indexOf(word)).find((index) => index >= 0);
  const index = said.includes("last") && ordinal === undefined ? -1 : (ordinal ?? 0);
  return pool.slice(index).slice(0, 1);
}

const ordinals: readonly string[] = ["first", "second", "third", "fourth", "fifth"];

const stemOf = (name: string): string => (name.split(/[\\/]/).at(-1) ?? name).toLowerCase();
