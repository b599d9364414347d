import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { placeReference, type ReferencePath } from "./json-schema-references.ts";
import { toObjectSchema } from "./json-schema-root.ts";
import { toSoundSchema } from "./json-schema-sound.ts";
import { mapSubschemas } from "./json-schema-walk.ts";

/**
 * A tool's schema as OpenAI takes it, and those that speak its form. What it allows stays the same or
 * gets wider, never narrower; the arguments are checked against the original later.
 *
 * - The root is of type object, has `properties`, and no combinator: those of its branches are joined.
 * - Keywords are those of draft 2020-12; `$schema` and `$id` are left out, at every depth; properties
 *   of these names stay.
 * - Every array has `items`; a draft-07 tuple becomes `prefixItems`.
 * - References are put in place: most servers, and the templates of small models, know none. One to
 *   itself ends as an open schema, and so does one that leads nowhere or elsewhere.
 */
export function toOpenAiSchema(schema: JsonSchema): JsonSchema {
  return convert(toObjectSchema(schema), { root: schema, size: 0 }, { placed: ["#"], depth: 0 });
}

interface Scope {
  /** What references lead into. */
  readonly root: JsonSchema;
  /** Schemas that have been converted so far: references multiply them. */
  size: number;
}

const mostSchemas = 5_000;

/** No honest schema is that deep, and recursion has to end. */
const deepest = 64;

const withoutKeywords = new Set([
  ...["$schema", "$id", "$defs", "definitions", "$anchor", "$dynamicAnchor", "$dynamicRef"],
  ...["$recursiveRef", "$recursiveAnchor"],
]);

function convert(schema: JsonSchema, scope: Scope, path: ReferencePath): JsonSchema {
  scope.size += 1;
  if (path.depth > deepest || scope.size > mostSchemas) {
    return {};
  }
  const [placed, within] = placeReference(schema as JsonObject, scope.root, path);
  const kept = Object.entries(toSoundSchema(placed)).filter(
    ([keyword]) => !withoutKeywords.has(keyword),
  );
  const inner = { ...within, depth: within.depth + 1 };
  return withItems(
    mapSubschemas(Object.fromEntries(kept), (part) => convertAny(part, scope, inner)),
  );
}

/** In the place of a schema, `true` allows everything and `false` nothing. */
function convertAny(schema: unknown, scope: Scope, path: ReferencePath): JsonSchema {
  if (isJsonObject(schema)) {
    return convert(schema, scope, path);
  }
  return schema === false ? { not: {} } : {};
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
