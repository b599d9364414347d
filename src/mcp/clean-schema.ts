import type { Json, JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import type { ResolvedLimits } from "./mcp-limits.ts";
import { visibleText } from "./visible-text.ts";

/** A server's schema as it may be shown to a model. */
export interface CleanSchema {
  readonly schema: JsonSchema;
  /** Whether a title or a description had to be changed. */
  readonly changed: boolean;
}

/**
 * A server's schema with its titles and descriptions made visible and of bearable length; all else
 * stays as it is. Its depth has been checked: it is gone through recursively.
 */
export function cleanSchema(schema: JsonObject, limits: ResolvedLimits): CleanSchema {
  const state = { changed: false, longest: limits.maxParameterDescriptionLength };
  const cleaned = clean(schema, state);
  // An object is cleaned into an object.
  return { schema: cleaned as JsonSchema, changed: state.changed };
}

/** Keywords whose value is data that the server compares: not ours to change. */
const data = new Set(["const", "enum", "default", "examples"]);

/** The value itself where nothing in it has to be changed, else a copy. */
function clean(
  value: Json | undefined,
  state: { changed: boolean; readonly longest: number },
): Json | undefined {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => clean(item, state) ?? null);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let copy: { [key: string]: Json | undefined } | undefined;
  const object = value as JsonObject; // Array.isArray does not tell a read-only list from an object
  for (const key of Object.keys(object)) {
    const inner = object[key];
    const cleaned = cleanAt(key, inner, state);
    if (cleaned !== inner) {
      copy ??= { ...object };
      // Not by assignment: the key may be __proto__.
      Object.defineProperty(copy, key, { value: cleaned, enumerable: true });
    }
  }
  return copy ?? value;
}

function cleanAt(
  key: string,
  inner: Json | undefined,
  state: { changed: boolean; readonly longest: number },
): Json | undefined {
  if (typeof inner === "string") {
    if (key !== "description" && key !== "title") {
      return inner;
    }
    const text = visibleText(inner).slice(0, state.longest);
    state.changed ||= text !== inner;
    return text;
  }
  return data.has(key) ? inner : clean(inner, state);
}
