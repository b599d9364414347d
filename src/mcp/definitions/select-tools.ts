import { didYouMean } from "../../base/closest-name.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { isJsonObject } from "../../base/json.ts";
import { isValidToolName } from "../../tool/tool-names.ts";
import { visibleLine } from "../text/visible-text.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

/** Which of a server's tools are had, by the server's names; with an object, also under which names. */
export type ToolSelection = readonly string[] | Readonly<Record<string, string>>;

/** A tool that is had. */
export interface SelectedTool {
  readonly definition: McpToolDefinition;
  /** The name that the application gave it. */
  readonly name?: string;
}

/** @throws ConfigurationError where it is neither a list of names nor an object of valid, different ones. */
export function checkSelection(selection: ToolSelection | undefined, where: string): void {
  const fault = selection === undefined ? undefined : faultOf(selection);
  if (fault !== undefined) {
    throw new ConfigurationError(`${where}: ${fault}`, { code: "invalid-configuration" });
  }
}

/** The tools that are selected, in the order of the selection; `notice` hears of those that are not there. */
export function selectTools(
  definitions: readonly McpToolDefinition[],
  selection: ToolSelection | undefined,
  notice: (code: string, message: string) => void,
): readonly SelectedTool[] {
  if (selection === undefined) {
    return definitions.map((definition) => ({ definition }));
  }
  const published = new Map(definitions.map((definition) => [definition.sourceName, definition]));
  const wanted: readonly (readonly [string, string?])[] = isList(selection)
    ? [...new Set(selection)].map((name) => [name] as const)
    : Object.entries(selection);
  return wanted.flatMap(([sourceName, name]) => {
    const definition = published.get(sourceName);
    if (definition === undefined) {
      const hint = didYouMean(sourceName, published.keys()) || listOf([...published.keys()]);
      notice("mcp-tool-not-published", `It has no usable tool "${sourceName}".${hint}`);
      return [];
    }
    return [{ definition, ...(name === undefined ? {} : { name }) }];
  });
}

/** Whether a tool of the server is among those that are wanted. */
export function isSelected(sourceName: string, selection: ToolSelection | undefined): boolean {
  if (selection === undefined) {
    return true;
  }
  return isList(selection) ? selection.includes(sourceName) : Object.hasOwn(selection, sourceName);
}

const isList = (selection: ToolSelection): selection is readonly string[] =>
  Array.isArray(selection);

function faultOf(selection: unknown): string | undefined {
  if (Array.isArray(selection)) {
    return selection.every((name) => typeof name === "string")
      ? undefined
      : `"tools" must be a list of names of tools.`;
  }
  if (!isJsonObject(selection)) {
    return `"tools" must be a list of names, or an object { serverName: "myName" }.`;
  }
  const names = Object.values(selection);
  const invalid = Object.entries(selection).find(([, name]) => !isValidToolName(name));
  if (invalid !== undefined) {
    return `The name for "${invalid[0]}" in "tools" is not valid: use 1 to 64 letters, digits, "_" or "-".`;
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined
    ? undefined
    : `Two of the "tools" are to be called "${String(twice)}".`;
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => visibleLine(name, 64));
  const rest = names.length > shown.length ? `, and ${names.length - shown.length} more` : "";
  return shown.length === 0 ? " It publishes none." : ` It publishes ${shown.join(", ")}${rest}.`;
}
