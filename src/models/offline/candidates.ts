import { synonymsOf } from "../../base/synonyms.ts";
import type { ToolDefinition } from "../../model/model.ts";
import {
  conjunctions,
  connectors,
  determiners,
  isImperative,
  isStopWord,
  isVerb,
  mayName,
  opensWithVerb,
  prepositions,
} from "./grammar.ts";
import type { Parameter, Role } from "./parameters.ts";
import { isFileName, isPathLike, type Token, type TokenKind } from "./tokens.ts";
import { nameWordsOf } from "./tools.ts";

/** A part of a clause that may be the value of a parameter. */
export interface Candidate {
  readonly value: string;
  /** As its token is; `name`: words in capitals or an identifier; `bare`: a plain word; `phrase`: several. */
  readonly kind: TokenKind | "name" | "bare" | "phrase";
  /** The first and the last of its tokens, counted in the clause. */
  readonly first: number;
  readonly last: number;
}

/** What a clause is read with: its tokens, the message they are cut from, and a tool's own words. */
export interface Reading {
  readonly message: string;
  readonly tokens: readonly Token[];
  readonly tool: ToolDefinition;
  /** The words by which the tool is called and described: hardly ever values. */
  readonly toolWords: ReadonlySet<string>;
  readonly parameters: readonly Parameter[];
}

/** All parts of a clause that may be the value of a text parameter, in order. */
export function candidatesOf(reading: Reading): readonly Candidate[] {
  const { tokens } = reading;
  const typed = tokens.flatMap((token, index): readonly Candidate[] =>
    token.kind === "word" || token.kind === "mark"
      ? []
      : [{ value: token.value, kind: token.kind, first: index, last: index }],
  );
  const names = namesOf(reading);
  const named = new Set(names.flatMap(({ first, last }) => range(first, last)));
  const bare = tokens.flatMap((token, index): readonly Candidate[] =>
    mayName(token) &&
    !named.has(index) &&
    !(index === 0 && (isVerb(token) || opensWithVerb(tokens)))
      ? [{ value: token.value, kind: "bare", first: index, last: index }]
      : [],
  );
  return [...typed, ...names, ...bare, ...phrasesOf(reading)].toSorted(
    (left, right) => left.first - right.first,
  );
}

/** How well a candidate suits a parameter, from below 0 to about 1.5; {@link enough} is enough. */
export function suitability(candidate: Candidate, parameter: Parameter, reading: Reading): number {
  const label = announced(candidate, parameter, reading);
  const others = reading.parameters.filter(
    (other) => other !== parameter && (bases[other.role][candidate.kind] ?? -1) > 0.1,
  );
  const rival = Math.max(0, ...others.map((other) => announced(candidate, other, reading)));
  const mislabelled = rival > label && rival >= 0.6 ? 0.5 : 0;
  const general = candidate.kind === "bare" && wholes.has(candidate.value.toLowerCase());
  const place = prepositionBonus(candidate, parameter, reading);
  const worth = base(candidate, parameter, reading) + 0.5 * label + place - mislabelled;
  return general && label < surely ? -1 : worth;
}

/** How clearly a word such as `files` must be announced to be a name. */
const surely = 0.75;

/** The least suitability with which a required parameter is filled. */
export const enough = 0.35;

/** How clearly the words around a candidate announce it as the value of a parameter, from 0 to 1. */
export function announced(candidate: Candidate, parameter: Parameter, { tokens }: Reading): number {
  const { first, last } = candidate;
  const { labels, role, about, order } = parameter;
  const index = beforeConnectors(first, tokens);
  const between = tokens.slice(index + 1, first).map(({ lower }) => lower);
  const called =
    between.at(-1) === "as" || between.some((word) => /^(?:called|named|titled)$/.test(word));
  const noun = tokens[last + 1];
  const isNoun = !prepositions.has(noun?.lower ?? "") && !connectors.has(noun?.lower ?? "");
  const output = about.has("output") && /^(?:to|into)$/.test(tokens[first - 1]?.lower ?? "");
  return Math.max(
    strength(tokens[index], labels),
    isNoun && tokens[first]?.kind === "word" ? 0.8 * strength(noun, labels) : 0,
    // The two ends of a relation are not what is called so.
    called && namedRoles.has(role) && !(role === "name" && order !== undefined) ? 0.8 : 0,
    output && role === "name" ? 0.8 : 0,
  );
}

/** The token before a value and the words that connect it with its label: `path`, in `path is: docs`. */
function beforeConnectors(first: number, tokens: readonly Token[]): number {
  let index = first - 1;
  while (index >= 0 && first - index <= 5 && connectors.has(tokens[index]?.lower ?? "")) {
    index -= 1;
  }
  return index;
}

const namedRoles: ReadonlySet<Role> = new Set(["name", "path", "pattern"]);

/** `from` and `to` are labels of parameters so named, and no more than prepositions elsewhere. */
function strength(token: Token | undefined, labels: ReadonlyMap<string, number>): number {
  const own = token?.kind === "word" ? token.stems : [];
  return Math.max(0, ...own.map((stem) => labels.get(stem) ?? 0));
}

/** What a kind of candidate is worth to a role by itself. */
const bases: Readonly<Record<Role, Readonly<Partial<Record<Candidate["kind"], number>>>>> = {
  path: { path: 0.8, quoted: 0.55, name: 0.35, bare: 0.15, url: 0.1 },
  url: { url: 1, path: 0.2, quoted: 0.2 },
  email: { email: 1, quoted: 0.3, name: 0.2 },
  date: { date: 1, quoted: 0.4, number: 0.1 },
  pattern: { path: 0.6, quoted: 0.7, name: 0.3, bare: 0.2 },
  query: { quoted: 0.7, name: 0.55, phrase: 0.65, path: 0.35, bare: 0.2, number: 0.2, email: 0.4 },
  kind: { quoted: 0.5, name: 0.25, bare: 0.2 },
  place: { name: 0.8, quoted: 0.7, bare: 0.2 },
  text: {
    quoted: 0.9,
    json: 0.5,
    phrase: 0.3,
    url: 0.3,
    name: 0.2,
    path: 0.15,
    number: -0.2,
    bare: 0.1,
  },
  name: { name: 0.7, quoted: 0.65, path: 0.45, bare: 0.2, email: 0.4, number: -0.2 },
  other: {
    quoted: 0.6,
    name: 0.5,
    url: 0.4,
    path: 0.4,
    email: 0.5,
    date: 0.4,
    number: 0.2,
    bare: 0.15,
  },
};

function base(candidate: Candidate, { role }: Parameter, reading: Reading): number {
  const worth = bases[role][candidate.kind] ?? -1;
  const { kind, value } = candidate;
  if (kind === "bare" && isImperative(reading.tokens[candidate.first])) {
    return worth - 0.5;
  }
  if (role === "path") {
    return worthOfPath(candidate, worth, reading);
  }
  if (role === "pattern" && kind === "path" && /[*?]|^\.\w+$/.test(value)) {
    return 1;
  }
  if (kind === "phrase" && role === "query") {
    const inner = reading.tokens.slice(candidate.first + 1, candidate.last);
    return inner.some(({ lower }) => openers.has(lower)) ? worth - 0.1 : worth;
  }
  if (kind === "name" && /^\p{Ll}/u.test(value)) {
    return role === "kind" ? 0.6 : worth - 0.2;
  }
  return isOwnValue(candidate, reading) ? worth - 0.3 : worth;
}

function worthOfPath(candidate: Candidate, worth: number, reading: Reading): number {
  const { kind, value } = candidate;
  if (kind === "name" && candidate.first === 0) {
    return -1;
  }
  if (kind === "path") {
    return isFolderFor(candidate, reading) ? worth : 0.3;
  }
  const quotedPath = kind === "quoted" && isPathLike(value);
  return quotedPath ? 0.85 : isOwnValue(candidate, reading) ? worth - 0.3 : worth;
}

/** Whether a plain word is one of the tool's own. */
const isOwnValue = ({ kind, first }: Candidate, reading: Reading): boolean =>
  kind === "bare" && reading.tokens[first]?.stems.some((stem) => isOwnWord(stem, reading)) === true;

/** Words for any file, or for all that there is: never the name of one thing. */
export const wholes: ReadonlySet<string> = new Set(
  "project repository repo workspace root everything disk drive computer system folder directory file files folders document documents content contents extension".split(
    " ",
  ),
);

/** Whether a word is the tool's own, or means the same as one in its name. */
export function isOwnWord(stem: string, { tool, toolWords }: Reading): boolean {
  return toolWords.has(stem) || nameWordsOf(tool).some((word) => synonymsOf(word).has(stem));
}

/** Where a tool also takes a pattern, its path is a folder, and a file's name is the pattern. */
const isFolderFor = ({ value }: Candidate, { parameters }: Reading): boolean =>
  !value.includes("*") &&
  !(
    (isFileName(value) || /^\.\w+$/.test(value)) &&
    parameters.some(({ role, required }) => role === "pattern" && required)
  );

/** Prepositions that lead to a value of a role. */
const leads: Readonly<Partial<Record<Role, ReadonlySet<string>>>> = {
  path: new Set(["in", "inside", "from", "to", "at", "under", "within", "of", "into", "as", "for"]),
  pattern: new Set(["for", "matching", "named", "called", "like"]),
  query: new Set([
    "for",
    "about",
    "on",
    "of",
    "matching",
    "containing",
    "mentioning",
    "with",
    "regarding",
  ]),
  text: new Set(["saying", "containing", "says", "that", ":"]),
  name: new Set(["of", "for", "to", "from", "about", "between"]),
  place: new Set(["in", "at", "for", "near", "of"]),
  kind: new Set(["as", "a", "an"]),
};

/** Prepositions of the second of a pair. */
const ahead: ReadonlySet<string> = new Set(["to", "into", "with", "by", "as", "->", "=>"]);

function prepositionBonus(candidate: Candidate, parameter: Parameter, reading: Reading): number {
  const preposition = prepositionBefore(candidate, parameter, reading.tokens);
  const { tokens } = reading;
  const around = `${tokens[candidate.first - 1]?.lower} ${tokens[candidate.last + 1]?.lower}`;
  if (parameter.role === "kind" && /^\( \)$| (?:named|called)$/.test(around)) {
    return 0.3;
  }
  if (preposition === undefined) {
    return isObject(candidate, parameter, reading) ? 0.2 : 0;
  }
  if (parameter.order !== undefined) {
    const second = ahead.has(preposition);
    const first = preposition === "from";
    const isSecond = parameter.order === "second";
    return second === first ? 0 : second === isSecond ? 0.3 : -0.3;
  }
  return leads[parameter.role]?.has(preposition) ? 0.25 : 0;
}

/**
 * Whether a value follows the verb of its clause: `list docs`, `read the guide`. Where a tool takes a
 * pattern besides, what stands before `files` is the pattern: `find all json files`.
 */
function isObject({ first, last }: Candidate, { role }: Parameter, reading: Reading): boolean {
  const { tokens, parameters } = reading;
  const verb = tokens.findIndex(isImperative);
  const between = tokens.slice(verb + 1, first);
  const follows = verb >= 0 && verb < first && between.every(({ lower }) => determiners.has(lower));
  const patterned =
    /^(?:files?|documents?)$/.test(tokens[last + 1]?.lower ?? "") &&
    parameters.some((other) => other.role === "pattern" && other.required);
  return follows && role === (patterned ? "pattern" : "path");
}

/** The preposition before a value; `in the folder docs` has its nouns and articles skipped. */
function prepositionBefore(
  { first }: Candidate,
  { labels }: Parameter,
  tokens: readonly Token[],
): string | undefined {
  for (let index = first - 1; index >= 0 && first - index <= 4; index -= 1) {
    const token = tokens[index];
    const lower = token?.lower ?? "";
    if (prepositions.has(lower) || leadWords.has(lower)) {
      return lower;
    }
    const skipped = determiners.has(lower) || strength(token, labels) > 0;
    if (!skipped) {
      return undefined;
    }
  }
  return undefined;
}

const leadWords: ReadonlySet<string> = new Set(
  [...Object.values(leads), ahead].flatMap((set) => [...set]).filter((lead) => lead.length > 2),
);

/** Words in capitals that follow one another, and identifiers. */
function namesOf({ tokens, toolWords }: Reading): readonly Candidate[] {
  const names: Candidate[] = [];
  tokens.forEach((token, index) => {
    const previous = names.at(-1);
    if (!isName(index, tokens) || isOwnIdentifier(token, toolWords)) {
      return;
    }
    if (previous !== undefined && previous.last === index - 1 && !isJoined(previous, token)) {
      names.pop();
      const value = `${previous.value} ${token.value}`;
      names.push({ ...previous, value, last: index });
    } else {
      names.push({ value: token.value, kind: "name", first: index, last: index });
    }
  });
  return names;
}

/** Identifiers stand alone. */
const isJoined = ({ value }: Candidate, token: Token): boolean =>
  isIdentifier(token) || /[_-]/.test(value);

function isName(index: number, tokens: readonly Token[]): boolean {
  const token = tokens[index];
  if (token?.kind !== "word" || (index === 0 && (isVerb(token) || opensWithVerb(tokens)))) {
    return false;
  }
  return isIdentifier(token) || (/^\p{Lu}/u.test(token.value) && !isStopWord(token));
}

const isIdentifier = ({ value }: Token): boolean =>
  /[\p{L}\p{N}][_-][\p{L}\p{N}]|\p{L}\d|\p{Ll}\p{Lu}/u.test(value);

const isOwnIdentifier = (token: Token, toolWords: ReadonlySet<string>): boolean =>
  isIdentifier(token) && token.stems.every((stem) => toolWords.has(stem));

/** Runs of words after a label: `content hello world`, `that says see you at noon`, `about old maps`. */
function phrasesOf(reading: Reading): readonly Candidate[] {
  const { tokens, parameters } = reading;
  const texts = parameters.filter(({ role }) => role === "text" || role === "query");
  return tokens.flatMap((token, index): readonly Candidate[] => {
    const [far, before] = [tokens[index - 2], tokens[index - 1]];
    const linked = before !== undefined && connectors.has(before.lower);
    const opened = opens(before, texts) || (linked && opens(far, texts));
    const skipped = connectors.has(token.lower) || prepositions.has(token.lower);
    return opened && !skipped && (token.kind === "word" || token.kind === "number")
      ? [phraseFrom(index, reading)]
      : [];
  });
}

const openers: ReadonlySet<string> = new Set(
  "saying says that containing mentioning about for regarding on :".split(" "),
);

const opens = (token: Token | undefined, texts: readonly Parameter[]): boolean =>
  token !== undefined &&
  (openers.has(token.lower) || texts.some(({ labels }) => strength(token, labels) >= 0.6));

function phraseFrom(first: number, reading: Reading): Candidate {
  const { tokens } = reading;
  let last = first;
  while (last + 1 < tokens.length && !endsPhrase(last + 1, reading)) {
    last += 1;
  }
  return { value: sliceOf(first, last, reading), kind: "phrase", first, last };
}

/** The text of a clause from one token to another; an exclamation mark at the end belongs to it. */
export function sliceOf(first: number, last: number, { tokens, message }: Reading): string {
  const end = tokens[last]?.end ?? message.length;
  const exclaims = last === tokens.length - 1 && message.charAt(end) === "!";
  return message.slice(tokens[first]?.start, exclaims ? end + 1 : end);
}

/** A phrase ends before another value with its preposition, another label, and the tool's own words. */
function endsPhrase(index: number, { tokens, parameters, toolWords }: Reading): boolean {
  const [token, next, later] = tokens.slice(index, index + 3);
  if (token === undefined || token.kind === "quoted" || token.kind === "json") {
    return true;
  }
  const joint = prepositions.has(token.lower) || conjunctions.has(token.lower);
  if (!joint) {
    return false;
  }
  const object = next !== undefined && determiners.has(next.lower) ? later : next;
  const isLabel = parameters.some(({ labels }) => strength(object, labels) >= 0.6);
  const isOwn = object?.stems.some((stem) => toolWords.has(stem)) === true;
  return object?.kind === "path" || isLabel || (isOwn && prepositions.has(token.lower));
}

/** The whole numbers from `first` to `last`. */
export const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
