import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
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

function clean(
  value: Json | undefined,
  state: { changed: boolean; readonly longest: number },
): Json | undefined {
  if (Array.isArray(value)) {
    return value.map((item: Json) => clean(item, state) ?? null);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (typeof inner === "string" && (key === "description" || key === "title")) {
        const text = visibleText(inner).slice(0, state.longest);
        state.changed ||= text !== inner;
        return [key, text];
      }
      return [key, data.has(key) ? inner : clean(inner, state)];
    }),
  );
}
