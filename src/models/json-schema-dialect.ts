import { isJsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { toObjectSchema } from "./json-schema-root.ts";
import { isUnresolvable, mapSubschemas } from "./json-schema-walk.ts";

/**
 * A tool's schema as OpenAI takes it. What it allows stays the same or gets wider, never narrower; the
 * arguments are checked against the original later.
 *
 * - The root is of type object, has `properties`, and no combinator: those of its branches are joined.
 * - `$schema` and `$id` are left out, at every depth; properties of these names stay.
 * - Every array has `items`; a draft-07 tuple becomes `prefixItems`.
 * - A `$ref` within the schema stays; one that leads nowhere or elsewhere becomes an open schema.
 */
export function toOpenAiSchema(schema: JsonSchema): JsonSchema {
  const root = toObjectSchema(schema);
  return convert(root, root, 0);
}

/** No honest schema is that deep, and recursion has to end. */
const deepest = 64;

const withoutKeywords = new Set(["$schema", "$id"]);

function convert(schema: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  if (depth > deepest) {
    return {};
  }
  const mapped = mapSubschemas(schema, (inner) => convertAny(inner, root, depth + 1));
  const kept = Object.entries(mapped).filter(([keyword]) => !withoutKeywords.has(keyword));
  return withItems(withOpenReference(Object.fromEntries(kept), root));
}

/** In the place of a schema, `true` allows everything and `false` nothing. */
function convertAny(schema: unknown, root: JsonSchema, depth: number): JsonSchema {
  if (isJsonObject(schema)) {
    return convert(schema, root, depth);
  }
  return schema === false ? { not: {} } : {};
}

function withOpenReference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!isUnresolvable(schema, root)) {
    return schema;
  }
  const { $ref: _reference, ...rest } = schema;
  return rest;
}

function withItems(schema: JsonSchema): JsonSchema {
  const { type, items, additionalItems, ...rest } = schema;
  if (Array.isArray(items)) {
    const more = isJsonObject(additionalItems) ? additionalItems : {};
    return { ...rest, ...(type === undefined ? {} : { type }), prefixItems: items, items: more };
  }
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  return isArray && items === undefined ? { ...schema, items: {} } : schema;
}
