import { wordsOf } from "../../base/words.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import type { Plan, Planning } from "./planning.ts";
import { type Entry, entriesOf, rootsOf, textOfResult } from "./results.ts";
import { nameWordsOf, toolChangesOf } from "./tools.ts";

/**
 * The first folder that a server says it may use, by a tool that needs no arguments and whose name
 * says so (allowed, root or working directories). `undefined` where there is no such tool.
 */
export function* rootOf({ tools, knownRoot }: Planning): Plan<string | undefined> {
  const tool = knownRoot === undefined ? tools.find(tellsRoots) : undefined;
  if (tool === undefined) {
    return knownRoot;
  }
  const result = yield { name: tool.name, arguments: {} };
  return result.isError ? undefined : rootsOf(textOfResult(result))[0];
}

/**
 * Whether a path that the message does not give may be the server's own folder: that of a tool that
 * lists, draws or searches a folder and changes nothing.
 */
export function isPlace(tool: ToolDefinition, { role, many, order, path }: Parameter): boolean {
  const words = [...nameWordsOf(tool), ...wordsOf(path.join(" "))];
  return (
    role === "path" &&
    !many &&
    order === undefined &&
    toolChangesOf(tool).size === 0 &&
    (words.some((word) => folderWords.has(word) && word !== "path") || searchesFiles(tool))
  );
}

/** Whether a tool tells the folders that its server may use. */
export function tellsRoots(tool: ToolDefinition): boolean {
  const words = nameWordsOf(tool);
  return (
    toolChangesOf(tool).size === 0 &&
    parametersOf(tool).every(({ required }) => !required) &&
    words.some((word) => folderWords.has(word)) &&
    words.some((word) => rootWords.has(word))
  );
}

const folderWords: ReadonlySet<string> = new Set(
  wordsOf("directory folder dir path workspace roots"),
);
const rootWords: ReadonlySet<string> = new Set(
  wordsOf("allowed accessible permitted root base working current home workspace"),
);

/**
 * Where a file or folder of this name is: the root itself, where it is called so; else by a tool that
 * searches a folder for a pattern the path that ends with the name, or has the name without its
 * extension, or is the only one found.
 */
export function* locate(
  path: string,
  root: string | undefined,
  { tools }: Planning,
): Plan<string | undefined> {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  if (root !== undefined && lastPart(root) === name.toLowerCase()) {
    return root;
  }
  const tool = tools.find(searchesFiles);
  if (tool === undefined || name === "") {
    return undefined;
  }
  const parameters = parametersOf(tool).filter(({ required }) => required);
  const filled = parameters.map(({ path: [key = ""], role }) => [
    key,
    role === "path" ? (root ?? ".") : `**/*${name}*`,
  ]);
  const result = yield { name: tool.name, arguments: Object.fromEntries(filled) };
  const found = result.isError ? [] : entriesOf(textOfResult(result)).map((entry) => entry.name);
  const wanted = name.toLowerCase();
  return (
    found.find((candidate) => lastPart(candidate) === wanted) ??
    found.find((candidate) => lastPart(candidate).replace(/\.\w+$/, "") === wanted) ??
    (found.length === 1 ? found[0] : undefined)
  );
}

/** The last part of a path, in lower case. */
export const lastPart = (path: string): string => path.split(/[\\/]/).at(-1)?.toLowerCase() ?? "";

/** Whether a tool searches a folder for a pattern of names, and needs nothing else. */
function searchesFiles(tool: ToolDefinition): boolean {
  const required = parametersOf(tool).filter((parameter) => parameter.required);
  const roles = required.map(({ role, path }) => (path.length === 1 ? role : "other"));
  return (
    toolChangesOf(tool).size === 0 &&
    roles.includes("pattern") &&
    roles.every((role) => role === "pattern" || role === "path")
  );
}

/** What a folder holds, by a tool that is named for listing and takes a path. */
export function* listFolder(path: string, { tools }: Planning): Plan<readonly Entry[]> {
  const tool = tools.find(listsFolders);
  const [parameter] = tool === undefined ? [] : parametersOf(tool);
  if (tool === undefined || parameter === undefined) {
    return [];
  }
  const result = yield { name: tool.name, arguments: { [parameter.path[0] ?? ""]: path } };
  return result.isError ? [] : entriesOf(textOfResult(result));
}

function listsFolders(tool: ToolDefinition): boolean {
  const [first, ...others] = parametersOf(tool);
  return (
    nameWordsOf(tool).includes("list") &&
    first?.role === "path" &&
    first.path.length === 1 &&
    others.every(({ required }) => !required)
  );
}
