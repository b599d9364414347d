import type { Json } from "../../base/json.ts";
import { wordsOf } from "../../base/words.ts";
import { type Reading, range } from "./candidates.ts";
import { conjunctions, determiners } from "./grammar.ts";
import type { Parameter } from "./parameters.ts";
import type { Token } from "./tokens.ts";

/** A value that the schema offers and the message names, and the tokens that name it. */
export interface ChoiceMatch {
  readonly value: Json;
  readonly tokens: readonly number[];
}

/**
 * The value of an `enum` that a clause names: the longest, in any case, with words split and stemmed,
 * or a part of it that belongs to no other value. An optional parameter needs more: a label, or a word
 * that is not the tool's own.
 */
export function matchChoice(parameter: Parameter, reading: Reading): ChoiceMatch | undefined {
  const found = parameter.choices.flatMap((value): readonly ChoiceMatch[] => {
    const tokens = findWords(wordsOf(`${value}`), reading.tokens);
    return tokens === undefined ? [] : [{ value, tokens }];
  });
  const [best] = found.toSorted((left, right) => right.tokens.length - left.tokens.length);
  const match = best ?? matchPart(parameter, reading.tokens);
  return match !== undefined && (parameter.required || isMeant(match, parameter, reading))
    ? match
    : undefined;
}

/** Where `words` stand in a row. */
function findWords(
  words: readonly string[],
  tokens: readonly Token[],
): readonly number[] | undefined {
  for (let start = 0; start < tokens.length; start += 1) {
    const matched: number[] = [];
    const seen: string[] = [];
    for (let index = start; index < tokens.length && seen.length < words.length; index += 1) {
      const token = tokens[index];
      seen.push(...(token === undefined ? [] : stemsOf(token)));
      matched.push(index);
    }
    if (words.length > 0 && seen.length === words.length && seen.every((w, i) => w === words[i])) {
      return matched;
    }
  }
  return undefined;
}

const stemsOf = ({ kind, stems, value }: Token): readonly string[] =>
  kind === "quoted" || kind === "number" ? wordsOf(value) : stems;

/** `York` for `New York`, as long as one value only has the word. */
function matchPart({ choices }: Parameter, tokens: readonly Token[]): ChoiceMatch | undefined {
  for (const [index, token] of tokens.entries()) {
    const capital = /^\p{Lu}/u.test(token.value) && index > 0;
    const having = choices.filter((choice) =>
      token.stems.some((stem) => stem.length > 3 && wordsOf(`${choice}`).includes(stem)),
    );
    if (capital && having.length === 1 && having[0] !== undefined) {
      return { value: having[0], tokens: [index] };
    }
  }
  return undefined;
}

function isMeant(match: ChoiceMatch, parameter: Parameter, reading: Reading): boolean {
  const named = match.tokens.flatMap((index) => reading.tokens[index]?.stems ?? []);
  const others = reading.tokens.filter((_token, index) => !match.tokens.includes(index));
  const labelled = others.some(({ stems }) =>
    stems.some((stem) => {
      const strength = parameter.labels.get(orderWords.has(stem) ? "sort" : stem) ?? 0;
      return strength > 0.5 && !reading.toolWords.has(stem);
    }),
  );
  const own = named.some((stem) => reading.toolWords.has(stem) || parameter.labels.has(stem));
  return labelled || !own;
}

const orderWords: ReadonlySet<string> = new Set(wordsOf("order arrange rank"));

/**
 * What a clause says of a yes-or-no parameter: the words of its name (`includeImage`: image), said
 * plainly or after `without` or `no`. `undefined` where it says nothing.
 */
export function matchFlag(parameter: Parameter, reading: Reading): ChoiceMatch | undefined {
  const words = wordsOf(parameter.path.at(-1) ?? "").filter((word) => !flagWords.has(word));
  const found = findWords(words, reading.tokens);
  const [first] = found ?? [];
  if (found === undefined || first === undefined) {
    return undefined;
  }
  const before = reading.tokens.slice(Math.max(0, first - 2), first);
  const after = reading.tokens.slice((found.at(-1) ?? first) + 1).slice(0, 2);
  const denied =
    before.some(({ lower }) => noWords.has(lower)) || after.some(({ lower }) => offs.has(lower));
  const lone = words.every((word) => reading.toolWords.has(word));
  const opener = before.findLast(
    ({ lower }) => !determiners.has(lower) && !conjunctions.has(lower),
  );
  const asked =
    opener !== undefined && /^(?:with|includ|enabl|as|show|also|mak)/.test(opener.lower);
  const tokens = range(first, found.at(-1) ?? first);
  return denied ? { value: false, tokens } : !lone || asked ? { value: true, tokens } : undefined;
}

const flagWords: ReadonlySet<string> = new Set(
  wordsOf("include is has with enable should show use allow the"),
);
const noWords: ReadonlySet<string> = new Set([
  "without",
  "no",
  "not",
  "exclude",
  "excluding",
  "skip",
]);
const offs: ReadonlySet<string> = new Set(["off", "false", "no"]);
