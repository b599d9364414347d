import { isJsonObject, type Json, parseJson } from "../../base/json.ts";
import type { ToolResultPart } from "../../message/content.ts";
import { isPathLike } from "./tokens.ts";

/** One thing that a result lists. */
export interface Entry {
  readonly name: string;
  /** What the result says it is (`file`, `dir`), in lower case. */
  readonly tag?: string;
}

/** All text of a result. */
export function textOfResult({ content }: ToolResultPart): string {
  return content
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n")
    .trim();
}

/** What a result lists, where it is a list: tagged lines, paths line by line, or JSON. */
export function entriesOf(text: string): readonly Entry[] {
  const json = parseJson(text);
  if (json !== undefined) {
    return Array.isArray(json) ? json.flatMap(entryOf) : [];
  }
  const [block = ""] = text.split(/\n\s*\n/);
  const lines = block.split("\n").filter((line) => line.trim() !== "");
  const tagged = lines.map((line) => /^\[(\w+)\]\s+(.+?)(?:\s{2,}.*)?$/.exec(line.trim()));
  if (lines.length > 0 && tagged.every((match) => match !== null)) {
    return tagged.map((match) => ({ name: match[2] ?? "", tag: (match[1] ?? "").toLowerCase() }));
  }
  const plain = lines.map((line) => line.replace(/^\s*[-*•]\s+/, "").trim());
  return plain.length > 0 && plain.every(isPathLike) ? plain.map((name) => ({ name })) : [];
}

function entryOf(value: Json): readonly Entry[] {
  if (typeof value === "string") {
    return [{ name: value }];
  }
  const name = isJsonObject(value) ? (value["path"] ?? value["name"]) : undefined;
  const type = isJsonObject(value) ? value["type"] : undefined;
  return typeof name === "string"
    ? [{ name, ...(typeof type === "string" && { tag: type.toLowerCase() }) }]
    : [];
}

/** Whether an entry is a folder rather than a file. */
export const isFolder = ({ name, tag = "" }: Entry): boolean =>
  /^(?:d|dir|directory|folder)$/.test(tag) || /[\\/]$/.test(name);

/** The absolute paths that a result tells line by line: the folders that a server lets one use. */
export function rootsOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/^\s*[-*•]\s+/, "").trim())
    .filter(isAbsolute);
}

/** Whether a path starts at a root. */
export const isAbsolute = (path: string): boolean => /^(?:[\\/~]|[A-Za-z]:[\\/])/.test(path);

/** A path inside a folder. */
export function joinPath(folder: string, path: string): string {
  if (path === "." || path === "" || path === "./") {
    return folder;
  }
  const separator = folder.includes("\\") && !folder.includes("/") ? "\\" : "/";
  return `${folder.replace(/[\\/]+$/, "")}${separator}${path.replace(/^\.[\\/]/, "")}`;
}
