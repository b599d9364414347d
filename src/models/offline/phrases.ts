import { type Candidate, isOwnWord, type Reading, range, sliceOf, wholes } from "./candidates.ts";
import type { Values } from "./filling.ts";
import {
  conjunctions,
  determiners,
  greetings,
  isImperative,
  isStopWord,
  isVerb,
  mayName,
  opensWithVerb,
  prepositions,
} from "./grammar.ts";
import type { Parameter } from "./parameters.ts";
import { isFileName, type Token } from "./tokens.ts";

/**
 * What a clause says about a name that is already a value: the words between two names (`Ada knows
 * Bob`), or all that follows one (`Ada likes chess`).
 */
export function predicateOf(
  parameter: Parameter,
  values: Values,
  used: ReadonlySet<number>,
  reading: Reading,
): Candidate | undefined {
  const siblings = [...values].filter(
    ([{ path }]) => path.length > 1 && path[0] === parameter.path[0] && parameter.path.length > 1,
  );
  const places = [...used].toSorted((left, right) => left - right);
  const gap = places.findIndex((place, index) => place !== (places[0] ?? 0) + index);
  const subject = places.at(gap === -1 ? -1 : gap - 1);
  const object = gap === -1 ? undefined : places[gap];
  if (subject === undefined || siblings.length === 0) {
    return undefined;
  }
  const pair = siblings.filter(([{ order }]) => order !== undefined).length === 2;
  if (pair && object !== undefined) {
    return phraseOf(subject + 1, object - 1, reading, (words) => saysMore(words, reading));
  }
  const fitting = parameter.role === "text" && object === undefined;
  const comma = reading.tokens.findIndex(({ value }, index) => index > subject && value === ",");
  const last = (comma === -1 ? reading.tokens.length : comma) - 1;
  return fitting
    ? phraseOf(subject + 1, last, reading, (words) => saysMore(words, reading))
    : undefined;
}

/** The words of a clause that are neither its verb nor the tool's own: `good morning` in `echo good morning`. */
export function remainderOf(
  parameter: Parameter,
  used: ReadonlySet<number>,
  reading: Reading,
): Candidate | undefined {
  const { tokens } = reading;
  if (parameter.path.length > 1) {
    return undefined;
  }
  const colon = tokens.findIndex(({ value, kind }) => kind === "mark" && value === ":");
  if (colon >= 0 && longRoles.has(parameter.role)) {
    return phraseOf(colon + 1, tokens.length - 1, reading, (words) => words.length > 0);
  }
  const long = longRoles.has(parameter.role);
  const [first, last] = boundsOf(used, reading, long, false) ??
    boundsOf(used, reading, long, long && isVerb(tokens[0])) ?? [1, 0];
  const free = range(first, last).every((index) => !used.has(index));
  if (!free || first > last) {
    return undefined;
  }
  if (long) {
    return phraseOf(first, last, reading, (words) => words.length > 0);
  }
  const single = first === last && nameRoles.has(parameter.role);
  return single
    ? phraseOf(first, last, reading, (words) =>
        words.every((word) => mayName(word) && !wholes.has(word.lower)),
      )
    : undefined;
}

/** The text of a value as its parameter wants it: an extension becomes a pattern (`.md`: `*.md`). */
export function shapeText(candidate: Candidate, parameter: Parameter, reading: Reading): string {
  const text = candidate.value;
  const globs = /\bglob/i.test(reading.tool.description) || parameter.about.has("glob");
  if (parameter.role !== "pattern" || !globs || /[*?[\]{}/\\]/.test(text)) {
    return text;
  }
  const extension = extensions.get(text.toLowerCase()) ?? /^\.(\w+)$/.exec(text)?.[1];
  const isFiles = /^(?:files?|documents?)$/.test(reading.tokens[candidate.last + 1]?.lower ?? "");
  if (extension !== undefined && (isFiles || text.startsWith("."))) {
    return `**/*.${extension}`;
  }
  return isFileName(text) ? `**/${text}` : `**/*${text}*`;
}

/** Kinds of files by the name that people give them. */
const extensions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    markdown: "md",
    text: "txt",
    typescript: "ts",
    javascript: "js",
    python: "py",
    ruby: "rb",
    rust: "rs",
    json: "json",
    yaml: "yaml",
    csv: "csv",
    html: "html",
    css: "css",
    pdf: "pdf",
    xml: "xml",
    log: "log",
  }),
);

const longRoles: ReadonlySet<string> = new Set(["text", "query"]);
const nameRoles: ReadonlySet<string> = new Set(["path", "name", "place", "pattern", "other"]);

/** The first and last token of what is left; with `keepsStops` also words of mere grammar. */
function boundsOf(
  used: ReadonlySet<number>,
  reading: Reading,
  long: boolean,
  keepsStops: boolean,
): readonly [number, number] | undefined {
  const { tokens } = reading;
  let first = 0;
  while (first < tokens.length && isLead(first, used, reading, keepsStops)) {
    first += 1;
  }
  let last = tokens.length - 1;
  while (last >= first && isTail(last, used, reading, long)) {
    last -= 1;
  }
  return first > last ? undefined : [first, last];
}

function isLead(
  index: number,
  used: ReadonlySet<number>,
  reading: Reading,
  keepsStops: boolean,
): boolean {
  const token = reading.tokens[index];
  return (
    token !== undefined &&
    !used.has(index) &&
    ((index === 0 && opensWithVerb(reading.tokens)) ||
      (isStopWord(token) && !keepsStops && !(index > 0 && greetings.has(token.lower))) ||
      (isVerb(token) && !reading.tokens.slice(0, index).some(isImperative)) ||
      token.kind === "mark" ||
      (token.kind === "word" && token.stems.every((stem) => isOwnWord(stem, reading))))
  );
}

function isTail(
  index: number,
  used: ReadonlySet<number>,
  reading: Reading,
  long: boolean,
): boolean {
  const { tokens } = reading;
  const token = tokens[index];
  const own = token?.kind === "word" && token.stems.every((stem) => isOwnWord(stem, reading));
  return (
    token !== undefined &&
    (used.has(index) ||
      prepositions.has(token.lower) ||
      determiners.has(token.lower) ||
      conjunctions.has(token.lower) ||
      /^(?:please|back|again)$/.test(token.lower) ||
      (own && (!long || precededByPreposition(index, tokens))) ||
      (token.kind === "mark" && token.value !== "!"))
  );
}

/** Whether a tail such as `in the knowledge graph` reaches from a preposition to `index`. */
const precededByPreposition = (index: number, tokens: readonly Token[]): boolean =>
  tokens.slice(Math.max(0, index - 4), index).some(({ lower }) => prepositions.has(lower));

function phraseOf(
  first: number,
  last: number,
  reading: Reading,
  accepts: (words: readonly Token[]) => boolean,
): Candidate | undefined {
  const words = reading.tokens.slice(first, last + 1);
  if (first > last || !accepts(words)) {
    return undefined;
  }
  const [only] = words;
  const value =
    words.length === 1 && only !== undefined ? only.value : sliceOf(first, last, reading);
  return { value, kind: "phrase", first, last };
}

/** Whether words say something besides grammar and the tool's own words, in one piece. */
const saysMore = (words: readonly Token[], reading: Reading): boolean =>
  words.length <= longestPredicate &&
  !prepositions.has(words[0]?.lower ?? "") &&
  words.every(({ value }) => !/^[,()]$/.test(value)) &&
  words.some(
    (word) =>
      word.kind === "word" &&
      !prepositions.has(word.lower) &&
      !conjunctions.has(word.lower) &&
      !determiners.has(word.lower) &&
      !word.stems.every((stem) => isOwnWord(stem, reading)),
  );

const longestPredicate = 14;
