import { createHash } from "node:crypto";
import { canonicalJson } from "../base/canonical-json.ts";
import { createId } from "../base/ids.ts";
import type { Json } from "../base/json.ts";
import type { Binding } from "../tool/binding.ts";
import type { McpToolsetOptions } from "./mcp-toolset-options.ts";

/**
 * Names what the tools of an MCP toolset depend on: see `Toolset.catalogueKey`. It is a digest of the
 * configuration, credentials included, so that two servers that differ in nothing but a token share
 * nothing.
 *
 * What depends on the run (a transport that is a function, `mapTool`) is kept for one actor, and not at
 * all for a run without one: whose credentials such a run has, nobody can tell.
 */
export function catalogueKeyOf(options: McpToolsetOptions, binding: Binding): string | undefined {
  // What is done with failures and results does not change the tools; all else may.
  const { onUnavailable, onError, outputMismatch, mapResult, ...parts } = options;
  const { transport, mapTool } = parts;
  const { actor } = binding.run;
  const isBound = typeof transport === "function" || mapTool !== undefined;
  if (isBound && actor === undefined) {
    return undefined;
  }
  const pins = pinsOf(options);
  const text = canonicalJson(describe({ ...parts, pins, actor: isBound ? actor : undefined }));
  return createHash("sha256").update(text).digest("hex");
}

/** A lock may be large: it is told by which object it is. */
function pinsOf({ pins }: McpToolsetOptions): unknown {
  return typeof pins === "object" && typeof pins.lock === "object"
    ? { mode: pins.mode, lock: idOf(pins.lock) }
    : pins;
}

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
