import type { ToolResultPart } from "../../message/content.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { toArguments, type Values } from "./filling.ts";
import { listFolder, locate, rootOf } from "./folders.ts";
import type { Exchange, Plan, Planning } from "./planning.ts";
import { pickEntries } from "./references.ts";
import { isAbsolute, joinPath, textOfResult } from "./results.ts";
import type { Token } from "./tokens.ts";
import { toolChangesOf } from "./tools.ts";

/** A call that failed, in parts. */
export interface Attempt {
  readonly tool: ToolDefinition;
  readonly values: Values;
  readonly tokens: readonly Token[];
}

/**
 * One more try with a better path, where a path is what the error is about: below the server's folder,
 * where a search finds the file, or inside the folder that was taken for a file. `undefined` where
 * there is nothing better to try.
 */
export function* repair(
  { tool, values, tokens }: Attempt,
  failure: ToolResultPart,
  planning: Planning,
): Plan<Exchange | undefined> {
  const [given] = [...values].filter(([{ role, many }]) => role === "path" && !many);
  const path = given?.[1].value;
  if (given === undefined || typeof path !== "string") {
    return undefined;
  }
  const only = toolChangesOf(tool).size === 0;
  const better = yield* betterPath(path, textOfResult(failure), only, tokens, planning);
  if (better === undefined || better === path) {
    return undefined;
  }
  const repaired = new Map(values).set(given[0], { value: better, kind: "result", announced: 1 });
  const call = { name: tool.name, arguments: toArguments(repaired) };
  return { call, result: yield call };
}

function* betterPath(
  path: string,
  error: string,
  onlyLooks: boolean,
  tokens: readonly Token[],
  planning: Planning,
): Plan<string | undefined> {
  if (/EISDIR|is a (?:directory|folder)/i.test(error) && onlyLooks) {
    const [entry] = pickEntries(yield* listFolder(path, planning), tokens, false);
    return entry === undefined ? undefined : joinPath(path, entry.name);
  }
  if (/denied|outside|not allowed|not permitted|forbidden|absolute/i.test(error)) {
    const root = yield* rootOf(planning);
    return root === undefined || isAbsolute(path) ? undefined : joinPath(root, path);
  }
  if (/ENOENT|not found|no such|does(?: not|n't) exist|cannot find/i.test(error) && onlyLooks) {
    return yield* locate(path, yield* rootOf(planning), planning);
  }
  return undefined;
}
