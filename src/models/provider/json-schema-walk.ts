import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";

/** Keywords whose value is a schema. */
const single = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);

/** Keywords whose value is a list of schemas. */
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

/** Keywords whose value holds schemas by name. */
const maps = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/**
 * A copy of the schema with every schema directly inside it replaced. Values that are data (`enum`,
 * `const`, `default`, `examples`) are left alone, whatever they look like.
 */
export function mapSubschemas(
  schema: JsonSchema,
  replace: (inner: unknown) => JsonSchema,
): JsonSchema {
  return mapEntries(schema, (value, keyword) => {
    if (single.has(keyword)) {
      return Array.isArray(value) ? value.map(replace) : replaceUnlessFlag(value, replace);
    }
    if (lists.has(keyword)) {
      return Array.isArray(value) ? value.map(replace) : value;
    }
    return maps.has(keyword) && isJsonObject(value) ? mapEntries(value, replace) : value;
  });
}

/** `additionalProperties: false` and its like are understood everywhere. */
const replaceUnlessFlag = (value: unknown, replace: (inner: unknown) => JsonSchema): unknown =>
  typeof value === "boolean" ? value : replace(value);

/** Made by definition, not assignment: a property may be called `__proto__`. */
const mapEntries = (
  object: JsonSchema,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** The schema that a local reference (a JSON pointer, RFC 6901, after `#`) leads to. */
export function resolveReference(reference: unknown, root: JsonSchema): JsonObject | undefined {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) {
    return undefined;
  }
  let found: unknown = root;
  for (const key of reference.split("/").slice(1)) {
    const name = decodePointer(key);
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, name)
        ? (found as Record<string, unknown>)[name] // an own property, as just checked
        : undefined;
  }
  return found === true ? {} : isJsonObject(found) ? found : undefined;
}

/** `%` and `~` escapes; broken ones stand for themselves. */
function decodePointer(key: string): string {
  let plain = key;
  try {
    plain = decodeURIComponent(key);
  } catch {
    // not percent-encoded
  }
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}
