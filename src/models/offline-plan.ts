import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { ToolResultPart } from "../message/content.ts";
import type { ToolDefinition } from "../model/model.ts";
import { fill } from "./offline-arguments.ts";
import { type Choice, chooseTools } from "./offline-choice.ts";
import { clausesOf } from "./offline-clauses.ts";
import { type Filled, toArguments } from "./offline-filling.ts";
import { locate, rootOf } from "./offline-folders.ts";
import { pronouns } from "./offline-grammar.ts";
import { type Parameter, parametersOf } from "./offline-parameters.ts";
import { pickEntries, resolvePronouns } from "./offline-references.ts";
import { entriesOf, isAbsolute, isFolder, joinPath, textOfResult } from "./offline-results.ts";
import { type Token, tokenize } from "./offline-tokens.ts";
import { toolChangesOf } from "./offline-tools.ts";

/** A call that a plan wants to be made. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What became of one request of a message. */
export type Outcome =
  | {
      readonly kind: "done" | "failed";
      readonly clause: string;
      readonly call: PlannedCall;
      readonly result: ToolResultPart;
    }
  | {
      readonly kind: "missing";
      readonly clause: string;
      readonly tool: ToolDefinition;
      readonly missing: readonly Parameter[];
    }
  | { readonly kind: "unmatched"; readonly clause: string };

/**
 * Steps towards something: it yields the calls that it needs and is given their results. It reads
 * nothing else, so that running it again with the recorded results comes to the same point.
 */
export type Plan<Result> = Generator<PlannedCall, Result, ToolResultPart>;

/** What a plan works with. */
export interface Planning {
  readonly message: string;
  readonly tools: readonly ToolDefinition[];
  /** What the user said before, the latest last. */
  readonly earlier: readonly string[];
  /** The folder that the server told earlier in the conversation. */
  readonly knownRoot: string | undefined;
  /** One entry for each request so far. */
  readonly outcomes: Outcome[];
}

/** Does what a message asks, one request after the other. */
export function* planMessage(planning: Planning): Plan<void> {
  const clauses = clausesOf(tokenize(planning.message), planning.message);
  if (clauses.length === 0) {
    planning.outcomes.push({ kind: "unmatched", clause: planning.message });
  }
  for (const [index, clause] of clauses.entries()) {
    const before = clauses.slice(0, index).map((tokens) => ({ tokens, message: planning.message }));
    const earlier = planning.earlier.map((text) => ({ tokens: tokenize(text), message: text }));
    planning.outcomes.push(yield* pursue(clause, [...earlier, ...before], planning));
  }
}

/** Something said before. */
interface Said {
  readonly tokens: readonly Token[];
  readonly message: string;
}

function* pursue(
  clauseTokens: readonly Token[],
  before: readonly Said[],
  planning: Planning,
): Plan<Outcome> {
  const { message, tools } = planning;
  const clause = message.slice(clauseTokens[0]?.start, clauseTokens.at(-1)?.end);
  const said = before.map((one) => one.tokens);
  const tokens = resolvePronouns(clauseTokens, { values: subjectOf(planning), said });
  const choices = chooseTools(tools, tokens, message);
  const [choice] = choices;
  if (choice === undefined) {
    return { kind: "unmatched", clause };
  }
  const values = yield* complete(choice, tokens, before, planning);
  const missing = choice.filling.missing.filter((parameter) => !values.has(parameter));
  if (missing.length > 0) {
    return { kind: "missing", clause, tool: choice.tool, missing };
  }
  const call = { name: choice.tool.name, arguments: toArguments(values) };
  const result = yield call;
  if (!result.isError) {
    return { kind: "done", clause, call, result };
  }
  const repaired = yield* repair(choice, values, result, planning);
  return repaired === undefined
    ? { kind: "failed", clause, call, result }
    : { kind: repaired.result.isError ? "failed" : "done", clause, ...repaired };
}

/** What the request before was about: the files that it found, or the path or name that it was given. */
function subjectOf({ outcomes, tools }: Planning): readonly string[] {
  const last = outcomes.at(-1);
  if (last?.kind !== "done") {
    return [];
  }
  const tool = tools.find(({ name }) => name === last.call.name);
  const given = tool === undefined ? [] : parametersOf(tool);
  const folder = given
    .filter(({ role, path }) => role === "path" && path.length === 1)
    .map(({ path: [key = ""] }) => last.call.arguments[key])
    .findLast((value) => typeof value === "string");
  const files = entriesOf(textOfResult(last.result)).filter((entry) => !isFolder(entry));
  if (files.length > 0 && typeof folder === "string") {
    return files.map(({ name }) => (isAbsolute(name) ? name : joinPath(folder, name)));
  }
  return typeof folder === "string" ? [folder] : namesIn(last.call.arguments);
}

/** The names in the arguments of a call, at any depth: what stands under a key that ends with `name`. */
function namesIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap(namesIn);
  }
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([key, inner]) =>
        typeof inner === "string" && /name$/i.test(key)
          ? [inner]
          : Array.isArray(inner) && /names$/i.test(key)
            ? inner.filter((item) => typeof item === "string")
            : namesIn(inner),
      )
    : [];
}

type Values = ReadonlyMap<Parameter, Filled>;

/** What the clause itself does not give: from results, from what was said before, from the server. */
function* complete(
  { tool, filling }: Choice,
  tokens: readonly Token[],
  before: readonly Said[],
  planning: Planning,
): Plan<Values> {
  const values = new Map(filling.values);
  const open = (): readonly Parameter[] => filling.missing.filter((one) => !values.has(one));
  const refers = tokens.some(({ lower }) => lower === "the" || pronouns.has(lower));
  if (open().length > 0 && refers) {
    fromResult(open(), values, tokens, planning);
  }
  for (const said of refers ? before.toReversed() : []) {
    const lent = fill(tool, said.tokens, said.message).values;
    for (const parameter of open()) {
      const value = lent.get(parameter);
      if (value !== undefined && value.kind !== "phrase") {
        values.set(parameter, value);
      }
    }
  }
  const place = open().find(({ role, many }) => role === "path" && !many);
  if (place !== undefined && toolChangesOf(tool).size === 0) {
    values.set(place, { value: (yield* rootOf(planning)) ?? ".", kind: "result" });
  }
  return planning.knownRoot === undefined ? values : anchor(values, planning.knownRoot);
}

/** A path from the list that the request before gave: `list docs and read the first file`. */
function fromResult(
  open: readonly Parameter[],
  values: Map<Parameter, Filled>,
  tokens: readonly Token[],
  { outcomes }: Planning,
): void {
  const last = outcomes.at(-1);
  const wanted = open.find(({ role }) => role === "path" || role === "name");
  if (last?.kind !== "done" || wanted === undefined) {
    return;
  }
  const entries = entriesOf(textOfResult(last.result));
  const picked = pickEntries(entries, tokens, wanted.many);
  const folder = Object.values(last.call.arguments).find((value) => typeof value === "string");
  const paths = picked.map(({ name }) =>
    isAbsolute(name) || wanted.role !== "path" ? name : joinPath(`${folder ?? "."}`, name),
  );
  const [first] = paths;
  if (first !== undefined) {
    values.set(wanted, { value: wanted.many ? paths : first, kind: "result" });
  }
}

/** Relative paths joined with the server's folder. */
function anchor(values: Values, root: string): Values {
  const absolute = (path: string): string => (isAbsolute(path) ? path : joinPath(root, path));
  return new Map(
    [...values].map(([parameter, filled]) => {
      const { value } = filled;
      const isPath = parameter.role === "path" && filled.kind !== "json";
      const moved =
        isPath && typeof value === "string"
          ? absolute(value)
          : isPath && Array.isArray(value)
            ? value.map((path) => (typeof path === "string" ? absolute(path) : path))
            : value;
      return [parameter, { ...filled, value: moved }];
    }),
  );
}

/** One more try with a better path: where the server keeps its folders, or where the file really is. */
function* repair(
  { tool }: Choice,
  values: Values,
  failure: ToolResultPart,
  planning: Planning,
): Plan<{ readonly call: PlannedCall; readonly result: ToolResultPart } | undefined> {
  const error = textOfResult(failure);
  const [given] = [...values].filter(([{ role, many }]) => role === "path" && !many);
  const path = given?.[1].value;
  const absent = /ENOENT|not found|no such|does(?: not|n't) exist|cannot find/i.test(error);
  const outside = /denied|outside|not allowed|not permitted|forbidden|absolute/i.test(error);
  if (given === undefined || typeof path !== "string" || (!absent && !outside)) {
    return undefined;
  }
  const root = yield* rootOf(planning);
  const moved = isAbsolute(path) || root === undefined ? undefined : joinPath(root, path);
  const mayLocate = absent && toolChangesOf(tool).size === 0;
  const better = outside ? moved : mayLocate ? yield* locate(path, root, planning) : undefined;
  if (better === undefined || better === path) {
    return undefined;
  }
  const repaired = new Map(values).set(given[0], { value: better, kind: "result" });
  const call = { name: tool.name, arguments: toArguments(repaired) };
  return { call, result: yield call };
}
