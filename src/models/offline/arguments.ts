import { isJsonObject, type Json, parseJson } from "../../base/json.ts";
import type { ToolDefinition } from "../../model/model.ts";
import {
  announced,
  type Candidate,
  candidatesOf,
  enough,
  type Reading,
  range,
  suitability,
} from "./candidates.ts";
import { matchChoice, matchFlag } from "./choices.ts";
import { type Filled, type Filling, spread } from "./filling.ts";
import { coordinated } from "./lists.ts";
import { matchNumbers } from "./numbers.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { predicateOf, remainderOf, shapeText } from "./phrases.ts";
import { rowsOf } from "./rows.ts";
import type { Token } from "./tokens.ts";
import { toolWordsOf } from "./tools.ts";

/** Fills a tool's parameters from a clause; what is optional only where the clause clearly gives it. */
export function fill(tool: ToolDefinition, tokens: readonly Token[], message: string): Filling {
  const parameters = parametersOf(tool);
  const reading: Reading = { message, tokens, tool, toolWords: toolWordsOf(tool), parameters };
  const draft: Draft = { reading, values: new Map(), used: new Set() };
  fillFromJson(draft);
  fillChoices(draft);
  fillNumbers(draft);
  fillRows(draft);
  fillTexts(draft, true);
  fillRest(draft);
  fillTexts(draft, false);
  fillFallbacks(draft);
  const missing = parameters.filter(
    (parameter) => parameter.required && !draft.values.has(parameter),
  );
  return { values: draft.values, missing, used: draft.used };
}

interface Draft {
  readonly reading: Reading;
  readonly values: Map<Parameter, Filled>;
  readonly used: Set<number>;
}

function put(draft: Draft, parameter: Parameter, filled: Filled, tokens: readonly number[]): void {
  draft.values.set(parameter, filled);
  for (const token of tokens) {
    draft.used.add(token);
  }
}

/** JSON in the message whose keys are the tool's counts as its arguments. */
function fillFromJson(draft: Draft): void {
  const { parameters, tokens } = draft.reading;
  const given = tokens.flatMap((token, index) =>
    token.kind === "json" ? [{ value: parseJson(token.value) ?? null, index }] : [],
  );
  for (const { value, index } of given) {
    for (const parameter of parameters) {
      const part = partOf(value, parameter);
      if (part !== undefined && !draft.values.has(parameter)) {
        put(draft, parameter, { value: part, kind: "json", announced: 1 }, [index]);
      }
    }
  }
}

function partOf(value: Json, { path, many }: Parameter): Json | undefined {
  const [key = ""] = path;
  if (isJsonObject(value)) {
    return path.length === 1 ? value[key] : undefined;
  }
  return many && path.length === 1 && Array.isArray(value) ? value : undefined;
}

function fillChoices(draft: Draft): void {
  for (const parameter of open(draft)) {
    const flag = parameter.type === "boolean";
    const match = flag
      ? matchFlag(parameter, draft.reading)
      : parameter.choices.length > 0
        ? matchChoice(parameter, draft.reading)
        : undefined;
    if (match !== undefined) {
      const value = parameter.many ? [match.value] : match.value;
      put(draft, parameter, { value, kind: "choice", announced: 1 }, match.tokens);
    }
  }
}

function fillNumbers(draft: Draft): void {
  for (const { parameter, value, index } of matchNumbers(draft.reading)) {
    if (!draft.values.has(parameter) && !draft.used.has(index)) {
      put(
        draft,
        parameter,
        { value: parameter.many ? [value] : value, kind: "number", announced: 1 },
        [index],
      );
    }
  }
}

/** Objects that the clause describes one by one. */
function fillRows(draft: Draft): void {
  const rows = rowsOf(candidatesOf(draft.reading), draft.reading);
  for (const [parameter, members] of rows === undefined
    ? []
    : ([
        [rows.name, rows.names],
        [rows.kind, rows.kinds],
      ] as const)) {
    const value = spread(members.map((member) => member.value));
    const tokens = members.flatMap(({ first, last }) => range(first, last));
    put(draft, parameter, { value, kind: "name", announced: 1 }, tokens);
  }
}

const open = (draft: Draft): readonly Parameter[] =>
  draft.reading.parameters.filter((parameter) => !draft.values.has(parameter));

/** The least suitability with which an optional parameter is filled. */
const clear = 0.8;

interface Pair {
  readonly parameter: Parameter;
  readonly candidate: Candidate;
  readonly score: number;
}

/** Gives each text parameter its best part of the clause, the surest pair first. */
function fillTexts(draft: Draft, required: boolean): void {
  const { reading } = draft;
  const wanted = open(draft).filter(
    (parameter) =>
      parameter.required === required &&
      parameter.choices.length === 0 &&
      parameter.type === "string",
  );
  const candidates = candidatesOf(reading);
  const pairs = wanted.flatMap((parameter) =>
    candidates.map((candidate) => ({
      parameter,
      candidate,
      score: suitability(candidate, parameter, reading),
    })),
  );
  for (const pair of pairs.toSorted(bySurety)) {
    if (pair.score >= (required ? enough : clear) && isFree(pair, draft)) {
      take(pair, candidates, draft);
    }
  }
}

/** Ties go by order: the first of the clause to the first of a pair, or to the first of the schema. */
function bySurety(left: Pair, right: Pair): number {
  return (
    right.score - left.score ||
    left.candidate.first - right.candidate.first ||
    Number(left.parameter.order === "second") - Number(right.parameter.order === "second")
  );
}

function isFree({ parameter, candidate }: Pair, draft: Draft): boolean {
  const { required, labels, role } = parameter;
  const negative = /exclud|ignor|except|skip/i.test(parameter.path.at(-1) ?? "");
  const told = announced(candidate, parameter, draft.reading) >= 0.6;
  const typed = role === "url" || role === "date" || role === "email";
  const wanted = required || told || (typed && labels.size > 0) || (role === "path" && !negative);
  return (
    wanted &&
    !draft.values.has(parameter) &&
    range(candidate.first, candidate.last).every((token) => !draft.used.has(token))
  );
}

function take({ parameter, candidate }: Pair, all: readonly Candidate[], draft: Draft): void {
  const { reading } = draft;
  const free = all.filter(({ first, last }) => range(first, last).every((i) => !draft.used.has(i)));
  const inObjects = parameter.path.includes("[]");
  const spreads = inObjects && parameter.role === "name" && parameter.order === undefined;
  const members =
    parameter.many || spreads ? coordinated(candidate, parameter, free, reading) : [candidate];
  const texts = members.map((member) => shapeText(member, parameter, reading));
  const [first = ""] = texts;
  const one: Json = texts.length > 1 ? spread(texts) : first;
  const value = parameter.many ? texts : one;
  const tokens = members.flatMap((member) => range(member.first, member.last));
  const told = announced(candidate, parameter, reading);
  put(draft, parameter, { value, kind: candidate.kind, announced: told }, tokens);
}

/** What the clause says without a mark of its own: the rest after the verb, or after the name. */
function fillRest(draft: Draft): void {
  for (const parameter of open(draft).filter(({ required }) => required)) {
    const rest =
      predicateOf(parameter, draft.values, draft.used, draft.reading) ??
      remainderOf(parameter, draft.used, draft.reading);
    if (rest !== undefined && parameter.choices.length === 0 && parameter.type === "string") {
      const text = shapeText(rest, parameter, draft.reading);
      const tokens = range(rest.first, rest.last);
      put(
        draft,
        parameter,
        { value: parameter.many ? [text] : text, kind: "rest", announced: 0 },
        tokens,
      );
    }
  }
}

/** A required parameter takes what its schema gives; a required list inside an object may be empty. */
function fillFallbacks(draft: Draft): void {
  for (const parameter of open(draft).filter(({ required }) => required)) {
    const siblings = [...draft.values.keys()].some(
      ({ path }) => path.length > 1 && path[0] === parameter.path[0],
    );
    if (parameter.fallback !== undefined) {
      put(draft, parameter, { value: parameter.fallback, kind: "schema", announced: 0 }, []);
    } else if (parameter.many && parameter.path.includes("[]") && siblings) {
      put(draft, parameter, { value: [], kind: "schema", announced: 0 }, []);
    }
  }
}
