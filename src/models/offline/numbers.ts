import { wordsOf } from "../../base/words.ts";
import type { Reading } from "./candidates.ts";
import { connectors, prepositions } from "./grammar.ts";
import type { Parameter } from "./parameters.ts";
import type { Token } from "./tokens.ts";

/** A number for a parameter. */
export interface NumberMatch {
  readonly parameter: Parameter;
  readonly value: number;
  readonly index: number;
}

/**
 * Which number of a clause goes to which parameter. A number finds its parameter by a label (`id 3`),
 * by its unit (`5 seconds`, where the parameter or its description has that word), by `first` and
 * `last`, and where the parameter is required by its order.
 */
export function matchNumbers(reading: Reading): readonly NumberMatch[] {
  const parameters = reading.parameters.filter(({ type }) => type === "number");
  const pairs = numbersOf(reading.tokens).flatMap(({ value, index }) =>
    parameters.map((parameter, order) => ({
      match: { parameter, value, index },
      score: suitability(index, parameter, reading),
      order,
    })),
  );
  const sorted = pairs
    .filter(({ score, match }) => score >= (match.parameter.required ? 0.4 : 0.55))
    .toSorted((left, right) => right.score - left.score || left.order - right.order);
  const matches: NumberMatch[] = [];
  for (const { match } of sorted) {
    const taken = matches.some(
      ({ index, parameter }) => index === match.index || parameter === match.parameter,
    );
    if (!taken) {
      matches.push(match);
    }
  }
  return matches;
}

/** Numbers, and the 1 that `the first line` means. */
function numbersOf(
  tokens: readonly Token[],
): readonly { readonly value: number; readonly index: number }[] {
  return tokens.flatMap((token, index) => {
    const next = tokens[index + 1];
    if (token.kind === "number") {
      return [{ value: Number(token.value), index }];
    }
    const single =
      next?.kind === "word" &&
      !prepositions.has(next.lower) &&
      !/s$|^(?:file|folder|directory)$/.test(next.lower);
    return single && endOf(token) !== undefined ? [{ value: 1, index }] : [];
  });
}

function suitability(index: number, parameter: Parameter, reading: Reading): number {
  const { tokens } = reading;
  const counted = endOf(tokens[index - 1]) ?? endOf(tokens[index]) ?? onlyEnd(tokens);
  const wanted = endOfParameter(parameter);
  const unit = unitAfter(index, parameter, tokens);
  if (wanted !== undefined && wanted === counted) {
    return unit > 0 ? 0.95 : tokens[index]?.kind === "number" ? 0.6 : 0;
  }
  if (wanted !== undefined) {
    return labelled(index, parameter, tokens);
  }
  const isCount = [...parameter.labels.keys()].some((word) => counts.has(word));
  const next = nounsAfter(index, tokens);
  const counting = isCount && next.some((word) => reading.toolWords.has(word)) ? 0.6 : 0;
  const isId = [...parameter.labels].some(([word, value]) => value === 1 && ids.has(word));
  const named = tokens[index - 1]?.stems.some((stem) => reading.toolWords.has(stem)) === true;
  const plain = parameter.required ? 0.4 : isId && named ? 0.6 : 0;
  return Math.max(labelled(index, parameter, tokens), unit, counting, plain);
}

function labelled(index: number, { labels }: Parameter, tokens: readonly Token[]): number {
  let before = index - 1;
  while (before >= 0 && isLink(tokens[before]?.lower ?? "")) {
    before -= 1;
  }
  const words = tokens[before]?.stems ?? [];
  const strength = Math.max(0, ...words.map((word) => labels.get(word) ?? 0));
  return strength > 0 ? 0.5 + 0.5 * strength : 0;
}

const isLink = (lower: string): boolean =>
  connectors.has(lower) || lower === "of" || /^(?:number|no|nr|#)$/.test(lower);

function unitAfter(index: number, { labels, about }: Parameter, tokens: readonly Token[]): number {
  const [unit, second] = nounsAfter(index, tokens);
  if (unit === undefined) {
    return 0;
  }
  const strong = Math.max(labels.get(unit) ?? 0, (labels.get(second ?? "") ?? 0) * 0.9);
  return strong >= 0.6 ? 0.9 : about.has(unit) ? 0.7 : 0;
}

const nounsAfter = (index: number, tokens: readonly Token[]): readonly string[] =>
  tokens
    .slice(index + 1, index + 3)
    .filter(({ kind }) => kind === "word")
    .flatMap(({ stems }) => stems);

const counts: ReadonlySet<string> = new Set(
  wordsOf("count limit n num number max top size amount times results"),
);

const ids: ReadonlySet<string> = new Set(wordsOf("id index number"));

type End = "first" | "last";

const endWords: Readonly<Record<End, ReadonlySet<string>>> = {
  first: new Set(wordsOf("first top head initial beginning")),
  last: new Set(wordsOf("last bottom tail final end")),
};

/** Whether a word counts from the start or from the end. */
function endOf(token: Token | undefined): End | undefined {
  const stem = token?.kind === "word" ? (token.stems[0] ?? "") : "";
  return endWords.first.has(stem) ? "first" : endWords.last.has(stem) ? "last" : undefined;
}

/** The end that a clause counts from, where it speaks of one only: `the head of a.txt, 2 lines`. */
function onlyEnd(tokens: readonly Token[]): End | undefined {
  const [end, ...others] = new Set(tokens.map(endOf).filter((found) => found !== undefined));
  return others.length === 0 ? end : undefined;
}

/** The same of a parameter (`head`, `tail`), where its name says so, or its description of nothing else. */
function endOfParameter({ labels, about, required }: Parameter): End | undefined {
  if (required) {
    return undefined;
  }
  const names = [...labels].filter(([, strength]) => strength >= 0.9).map(([word]) => word);
  const has = (end: End, words: Iterable<string>): boolean =>
    [...words].some((word) => endWords[end].has(word));
  if (has("first", names) !== has("last", names)) {
    return has("first", names) ? "first" : "last";
  }
  return has("first", about) === has("last", about)
    ? undefined
    : has("first", about)
      ? "first"
      : "last";
}
