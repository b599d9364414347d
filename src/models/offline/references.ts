import { isJsonObject, type Json } from "../../base/json.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { pronounObjects } from "./grammar.ts";
import { parametersOf } from "./parameters.ts";
import type { Exchange, Outcome } from "./planning.ts";
import { type Entry, entriesOf, isAbsolute, isFolder, joinPath, textOfResult } from "./results.ts";
import { isPathLike, type Token } from "./tokens.ts";

/** Something that was said before. */
export interface Said {
  readonly tokens: readonly Token[];
  readonly message: string;
}

/**
 * A clause with `it` and `them` replaced by what they stand for: a value of the request before, else
 * the last path, URL or quoted text that was said. A clause with a value of its own keeps its pronouns.
 */
export function resolvePronouns(
  clause: readonly Token[],
  subject: readonly string[],
  said: readonly Said[],
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
  const made = subject.map(
    (value): Token => ({
      ...pronoun,
      kind: isPathLike(value) ? "path" : "quoted",
      value,
      lower: value.toLowerCase(),
      stems: [],
    }),
  );
  const spoken = said.toReversed().map(({ tokens }) => mainTokens(tokens));
  const found = made.length > 0 ? made : (spoken.find((tokens) => tokens.length > 0) ?? []);
  const plural = /^(?:them|they|these|those|their)$/.test(pronoun.lower);
  const meant = plural ? found : found.slice(0, 1);
  return meant.length === 0 ? clause : clause.toSpliced(index, 1, ...meant);
}

/** What a request was about: the files that it found, or the path or the names that it was given. */
export function subjectOf(
  outcome: Outcome | undefined,
  tools: readonly ToolDefinition[],
): readonly string[] {
  if (outcome?.kind !== "done") {
    return [];
  }
  const folder = folderOf(outcome, tools);
  const files = entriesOf(textOfResult(outcome.result)).filter((entry) => !isFolder(entry));
  if (files.length > 0 && folder !== undefined) {
    return files.map(({ name }) => (isAbsolute(name) ? name : joinPath(folder, name)));
  }
  return folder === undefined ? namesIn(outcome.call.arguments) : [folder];
}

/** The last path that a call was given. */
export function folderOf({ call }: Exchange, tools: readonly ToolDefinition[]): string | undefined {
  const tool = tools.find(({ name }) => name === call.name);
  return (tool === undefined ? [] : parametersOf(tool))
    .filter(({ role, path }) => role === "path" && path.length === 1)
    .map(({ path: [key = ""] }) => call.arguments[key])
    .findLast((value) => typeof value === "string");
}

/** The names in the arguments of a call, at any depth: what stands under a key that ends with `name`. */
function namesIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap(namesIn);
  }
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([key, inner]) =>
        /names?$/i.test(key) ? stringsOf(inner) : namesIn(inner),
      )
    : [];
}

const stringsOf = (value: Json | undefined): readonly string[] =>
  [value].flat().filter((item) => typeof item === "string");

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
