import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { canonicalJson } from "../../base/canonical-json.ts";
import { createId } from "../../base/ids.ts";
import type { Json } from "../../base/json.ts";
import type { Binding } from "../../tool/binding.ts";
import type { PinsSetting, ToolLock } from "../../tool/tool-pins.ts";
import { defaultLockFile } from "../definitions/tool-lock.ts";
import type { McpToolsetOptions } from "./mcp-toolset-options.ts";

/**
 * Names what the tools of an MCP toolset depend on: see `Toolset.catalogueKey`. It is a digest of the
 * configuration, credentials included, so that two servers that differ in nothing but a token share
 * nothing.
 *
 * What depends on the run (a transport that is a function, `mapTool`) is kept for one actor, and not at
 * all without one: whose credentials such a run has, nobody can tell. A function is told by which object
 * it is, so that another process does not find what it led to here.
 *
 * Other pins have another key, also where they are another content of the same file.
 *
 * @param configured what holds for toolsets that say nothing of pins.
 */
export function catalogueKeyOf(
  options: McpToolsetOptions,
  binding: Binding,
  configured: PinsSetting | undefined,
): string | undefined {
  // What is done with failures and results does not change the tools; all else may.
  const { onUnavailable, onError, outputMismatch, mapResult, ...parts } = options;
  const { transport, mapTool } = parts;
  const { actor } = binding.run;
  const isBound = typeof transport === "function" || mapTool !== undefined;
  if (isBound && actor === undefined) {
    return undefined;
  }
  const pins = pinsKey(options.pins, configured);
  const text = canonicalJson(describe({ ...parts, pins, actor: isBound ? actor : undefined }));
  return digestOf(text);
}

/** Which tools pins let through: their mode, and what is pinned. */
function pinsKey(own: PinsSetting | undefined, configured: PinsSetting | undefined): Json {
  const [mine, all] = [own, configured].map((one) =>
    typeof one === "string" ? { mode: one } : one,
  );
  const mode = mine?.mode ?? all?.mode ?? "off";
  const lock = mine?.lock ?? all?.lock ?? defaultLockFile;
  return mode === "off" ? mode : [mode, typeof lock === "string" ? fileKey(lock) : lockKey(lock)];
}

function fileKey(file: string): string {
  try {
    return digestOf(readFileSync(file, "utf8"));
  } catch {
    return "none"; // opening the server tells
  }
}

/** A lock may be large: it is read once. */
function lockKey(lock: ToolLock): string {
  const known = lockKeys.get(lock) ?? digestOf(canonicalJson(lock as unknown as Json)); // plain data
  lockKeys.set(lock, known);
  return known;
}

const lockKeys = new WeakMap<ToolLock, string>();

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Plain data as it is; whatever else there is in it by which object it is, in this process. */
function describe(value: unknown): Json {
  if (Array.isArray(value)) {
    return value.map(describe);
  }
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, describe(inner)]));
  }
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? idOf(value)
    : ((value ?? null) as Json); // what is left is a text, a number or a boolean
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

function idOf(value: object): string {
  const known = ids.get(value) ?? createId("object");
  ids.set(value, known);
  return known;
}

const ids = new WeakMap<object, string>();
