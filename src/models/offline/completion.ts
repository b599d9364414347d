import type { Json } from "../../base/json.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { fill } from "./arguments.ts";
import { wholes } from "./candidates.ts";
import type { Choice } from "./choice.ts";
import type { Filled, Values } from "./filling.ts";
import { isPlace, lastPart, rootOf } from "./folders.ts";
import { determiners, mayName, pronouns } from "./grammar.ts";
import type { Parameter } from "./parameters.ts";
import type { Outcome, Plan, Planning } from "./planning.ts";
import { folderOf, pickEntries, type Said } from "./references.ts";
import { entriesOf, isAbsolute, joinPath, textOfResult } from "./results.ts";
import { isFileName, type Token } from "./tokens.ts";
import { knowing } from "./tools.ts";

/**
 * The values of a call: those that the clause gives, and where it does not, those of the results so
 * far, of what was said before, and for a path of the folders that the server tells.
 */
export function* complete(
  { tool, filling }: Choice,
  tokens: readonly Token[],
  said: readonly Said[],
  planning: Planning,
): Plan<Values> {
  const values = new Map(filling.values);
  const open = (): readonly Parameter[] => filling.missing.filter((one) => !values.has(one));
  if (tokens.some(({ lower }) => lower === "the" || pronouns.has(lower))) {
    fromResult(open(), values, tokens, planning);
    fromSaid(open(), values, tool, said);
  }
  const place = open().find((parameter) => isPlace(tool, parameter));
  if (place !== undefined && open().length === 1) {
    values.set(place, given((yield* rootOf(planning)) ?? "."));
  }
  yield* standsForRoot(tool, values, planning);
  const { knownRoot, outcomes, tools } = planning;
  const listed = mapPaths(values, (path) => listedPath(path, outcomes, tools));
  const moved = intoFolder(insideFolder(listed, { tool, filling }, tokens), tokens);
  return knownRoot === undefined
    ? moved
    : mapPaths(moved, (path) => (isAbsolute(path) ? path : joinPath(knownRoot, path)));
}

/** A folder that is called like the server's own is that one: `docs`, where the server has `/x/docs`. */
function* standsForRoot(
  tool: ToolDefinition,
  values: Map<Parameter, Filled>,
  planning: Planning,
): Plan<void> {
  const named = [...values].find(
    ([parameter, { value }]) =>
      isPlace(tool, parameter) && typeof value === "string" && /^\w[\w -]*$/.test(value),
  );
  const root = named && (yield* rootOf(planning));
  if (
    named !== undefined &&
    root !== undefined &&
    lastPart(root) === lastPart(`${named[1].value}`)
  ) {
    values.set(named[0], given(root));
  }
}

const given = (value: Json): Filled => ({ value, kind: "result", announced: 1 });

/** A path from the list that the request before gave: `list docs and read the first file`. */
function fromResult(
  open: readonly Parameter[],
  values: Map<Parameter, Filled>,
  tokens: readonly Token[],
  { outcomes, tools }: Planning,
): void {
  const last = outcomes.at(-1);
  const wanted = open.find(({ role }) => role === "path" || role === "name");
  if (last?.kind !== "done" || wanted === undefined) {
    return;
  }
  const entries = entriesOf(textOfResult(last.result));
  const folder = folderOf(last, tools);
  const names = pickEntries(entries, tokens, wanted.many).map(({ name }) =>
    isAbsolute(name) || wanted.role !== "path" ? name : joinPath(folder ?? ".", name),
  );
  const [first] = names;
  if (first !== undefined) {
    values.set(wanted, given(wanted.many ? names : first));
  }
}

/** What the requests and messages before give for the parameters that are still open, the latest first. */
function fromSaid(
  open: readonly Parameter[],
  values: Map<Parameter, Filled>,
  tool: ToolDefinition,
  said: readonly Said[],
): void {
  for (const { tokens, message } of open.length > 0 ? said.toReversed() : []) {
    const lent = fill(tool, tokens, message).values;
    for (const parameter of open.filter((one) => !values.has(one))) {
      const value = lent.get(parameter);
      const guessed = value?.kind === "rest" && parameter.path.length === 1;
      if (value !== undefined && !guessed) {
        values.set(parameter, value);
      }
    }
  }
}

/** A bare file name that a listing of this message shows, with the folder that was listed. */
function listedPath(
  path: string,
  outcomes: readonly Outcome[],
  tools: readonly ToolDefinition[],
): string {
  const listing = isAbsolute(path)
    ? undefined
    : outcomes.findLast(
        (outcome) =>
          outcome.kind === "done" &&
          entriesOf(textOfResult(outcome.result)).some(({ name }) => name === path),
      );
  const folder = listing?.kind === "done" ? folderOf(listing, tools) : undefined;
  return folder === undefined ? path : joinPath(folder, path);
}

/** The folder that a clause names beside a bare file name: `read todo.txt in the notes folder`. */
function insideFolder(
  values: Values,
  { tool, filling }: Pick<Choice, "tool" | "filling">,
  tokens: readonly Token[],
): Values {
  const paths = [...values].filter(([{ role }]) => role === "path");
  const [entry, another] = paths;
  const path = entry?.[1].value;
  const patterned = [...values.keys()].some(({ role }) => role === "pattern");
  if (entry === undefined || another !== undefined || patterned || typeof path !== "string") {
    return values;
  }
  const place = tokens.findIndex(({ lower }, index) => {
    const [next, noun] = tokens
      .slice(index + 1)
      .map((token, offset) => ({ token, index: index + 1 + offset }))
      .filter(({ token }) => !determiners.has(token.lower));
    return (
      insides.has(lower) &&
      next !== undefined &&
      isFolderName(next.token, noun?.token) &&
      !filling.used.has(next.index) &&
      next.token.stems.every((stem) => knowing(tool, stem) === 0)
    );
  });
  const folder = tokens.slice(place + 1).find(({ lower }) => !determiners.has(lower));
  return place === -1 || folder === undefined || /[\\/]/.test(path)
    ? values
    : new Map(values).set(entry[0], { ...entry[1], value: joinPath(folder.value, path) });
}

const insides: ReadonlySet<string> = new Set(["in", "inside", "under", "within", "from"]);

/** Whether a token names a folder: a path without an extension, or a plain word that is no noun for all. */
const isFolderName = (token: Token, next: Token | undefined): boolean =>
  token.kind === "path"
    ? !isFileName(token.value)
    : mayName(token) &&
      !wholes.has(token.lower) &&
      (next === undefined || next.kind !== "word" || /^(?:folder|directory|and)$/.test(next.lower));

/** What is moved to a folder keeps its name there: `move a.txt to archive` goes to `archive/a.txt`. */
function intoFolder(values: Values, tokens: readonly Token[]): Values {
  const paths = [...values].filter(([{ role, many }]) => role === "path" && !many);
  const source = paths.find(([{ order }]) => order === "first")?.[1].value;
  const target = paths.find(([{ order }]) => order === "second");
  const folder = target?.[1].value;
  const renames = tokens.some(({ lower }) => /^(?:rename|call|name)/.test(lower));
  if (target === undefined || typeof source !== "string" || typeof folder !== "string" || renames) {
    return values;
  }
  const name = source.split(/[\\/]/).at(-1) ?? source;
  return isFileName(source) && !isFileName(folder)
    ? new Map(values).set(target[0], { ...target[1], value: joinPath(folder, name) })
    : values;
}

function mapPaths(values: Values, change: (path: string) => string): Values {
  const changed = (value: Json): Json =>
    typeof value === "string" ? change(value) : Array.isArray(value) ? value.map(changed) : value;
  return new Map(
    [...values].map(([parameter, filled]) => [
      parameter,
      parameter.role === "path" && filled.kind !== "json"
        ? { ...filled, value: changed(filled.value) }
        : filled,
    ]),
  );
}
