import { isJsonObject } from "../json.ts";
import type { JsonSchema } from "./schema.ts";

/** Keywords whose schemas are applied to the very same value. */
const inPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/**
 * A reference that leads back to where it stands without taking a step into the value, so that
 * checking would never end; undefined where there is none. Not recursive, because a chain of
 * references may be as long as the schema.
 */
export function endlessReference(
  schemas: readonly JsonSchema[],
  targetsOf: (schema: JsonSchema) => readonly unknown[],
): string | undefined {
  const done = new Set<JsonSchema>();
  const under = new Set<JsonSchema>();
  for (const start of schemas) {
    const path: { readonly schema: JsonSchema; readonly next: JsonSchema[] }[] = [];
    const enter = (schema: JsonSchema): void => {
      under.add(schema);
      path.push({ schema, next: appliedInPlace(schema, targetsOf(schema)) });
    };
    if (!done.has(start)) {
      enter(start);
    }
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const inner = top.next.pop();
      if (inner === undefined) {
        path.pop();
        under.delete(top.schema);
        done.add(top.schema);
      } else if (under.has(inner)) {
        return referenceIn(path.map(({ schema }) => schema));
      } else if (!done.has(inner)) {
        enter(inner);
      }
    }
  }
  return undefined;
}

function appliedInPlace(schema: JsonSchema, targets: readonly unknown[]): JsonSchema[] {
  const inner = inPlace.flatMap((keyword) => {
    const operand = schema[keyword];
    const holdsMany = Array.isArray(operand) || keyword === "dependentSchemas";
    return holdsMany && typeof operand === "object" ? Object.values(operand ?? {}) : [operand];
  });
  return [...targets, ...inner].filter(isJsonObject);
}

const referenceIn = (schemas: readonly JsonSchema[]): string =>
  String(schemas.map(({ $ref, $dynamicRef }) => $ref ?? $dynamicRef).findLast(Boolean));
