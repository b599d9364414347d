import { joinSchemas } from "../../base/join-schemas.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { resolveReference } from "./json-schema-walk.ts";

/** Where in a schema one is. */
export interface ReferencePath {
  /** The references that are being put in place. */
  readonly placed: readonly string[];
  /** Schemas in schemas. */
  readonly depth: number;
}

/** References that lead to references; a longer row is nobody's intention. */
const longestRow = 32;

/**
 * The schema with what its `$ref` leads to in the place of it, and with an `allOf` of one part, which
 * is how older generators write a reference with a description; and the path of what is inside. A
 * reference that leads into itself ends as {@link selfSchema}; one that leads nowhere is left out.
 */
export function placeReference(
  schema: JsonObject,
  root: JsonSchema,
  path: ReferencePath,
): readonly [JsonObject, ReferencePath] {
  let placed = schema;
  let within = path;
  for (let row = 0; row < longestRow; row += 1) {
    const { $ref: reference, allOf, ...own } = placed;
    if (reference !== undefined) {
      const target = resolveReference(reference, root);
      const kept = allOf === undefined ? own : { ...own, allOf };
      if (target !== undefined && within.placed.includes(`${reference}`)) {
        return [joinSchemas(selfSchema(target), kept), within];
      }
      placed = joinSchemas(target ?? {}, kept);
      within = { ...within, placed: [...within.placed, `${reference}`] };
    } else if (Array.isArray(allOf) && allOf.length === 1 && isJsonObject(allOf[0])) {
      placed = joinSchemas(allOf[0], own);
    } else {
      return [placed, within];
    }
  }
  const { $ref: _reference, ...rest } = placed;
  return [rest, within];
}

/** What stands for a schema within itself: open, with a word on what it is. */
export const selfSchema = ({ type }: JsonObject): JsonObject => ({
  ...(typeof type === "string" ? { type } : {}),
  description: `Of the same form as the ${typeof type === "string" ? type : "value"} that it is in.`,
});
