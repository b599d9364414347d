import { isJsonObject, type Json } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { visibleText } from "./visible-text.ts";

/** Deeper and larger schemas are not for a model, and checking arguments against them is a risk. */
const deepest = 64;
const mostNodes = 10_000;

/** The longest description of one parameter. */
const longestDescription = 1024;

/** A server's schema as it may be shown to a model. */
export type CleanSchema =
  | {
      readonly kind: "clean";
      readonly schema: JsonSchema;
      /** Whether a title or a description had to be changed. */
      readonly changed: boolean;
    }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * A server's schema with its titles and descriptions made visible and of bearable length; all else
 * stays as it is. It is refused where it is nested more than 64 deep or has more than 10 000 parts.
 */
export function cleanSchema(schema: Json | undefined): CleanSchema {
  if (!isJsonObject(schema)) {
    return { kind: "refused", reason: "is not an object" };
  }
  const count = { nodes: 0, changed: false };
  const reason = measure(schema, 1, count);
  if (reason !== undefined) {
    return { kind: "refused", reason };
  }
  const cleaned = clean(schema, count);
  // An object is cleaned into an object.
  return { kind: "clean", schema: cleaned as JsonSchema, changed: count.changed };
}

function measure(
  value: Json | undefined,
  depth: number,
  count: { nodes: number },
): string | undefined {
  count.nodes += 1;
  if (depth > deepest) {
    return `is nested more than ${deepest} deep`;
  }
  if (count.nodes > mostNodes) {
    return `has more than ${mostNodes} parts`;
  }
  for (const inner of childrenOf(value)) {
    const reason = measure(inner, depth + 1, count);
    if (reason !== undefined) {
      return reason;
    }
  }
  return undefined;
}

function childrenOf(value: Json | undefined): readonly (Json | undefined)[] {
  if (Array.isArray(value)) {
    return value;
  }
  return isJsonObject(value) ? Object.values(value) : [];
}

/** Keywords whose value is data that the server compares: not ours to change. */
const data = new Set(["const", "enum", "default", "examples"]);

function clean(value: Json | undefined, count: { changed: boolean }): Json | undefined {
  if (Array.isArray(value)) {
    return value.map((item: Json) => clean(item, count) ?? null);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (typeof inner === "string" && (key === "description" || key === "title")) {
        const text = visibleText(inner).slice(0, longestDescription);
        count.changed ||= text !== inner;
        return [key, text];
      }
      return [key, data.has(key) ? inner : clean(inner, count)];
    }),
  );
}
