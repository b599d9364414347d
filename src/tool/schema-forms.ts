import { joinSchemas } from "../base/join-schemas.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";

/** How deep references and alternatives are followed, and how many: a stranger's may branch without end. */
const deepestForm = 8;
const mostForms = 500;

/**
 * The alternatives that a schema allows (`anyOf`, `oneOf`), each with what holds for all of them;
 * local references and `allOf` put in place.
 */
export function schemaForms(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  return formsOf(schema, root, 0, { count: 0 });
}

function formsOf(
  schema: unknown,
  root: JsonSchema,
  depth: number,
  seen: { count: number },
): readonly JsonSchema[] {
  seen.count += 1;
  if (schema === true) {
    return [{}];
  }
  if (!isJsonObject(schema) || depth > deepestForm || seen.count > mostForms) {
    return [];
  }
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
  const parts = [
    ...(typeof reference === "string" ? [[lookUp(reference, root)]] : []),
    ...(Array.isArray(allOf) ? allOf.map((part) => [part]) : []),
    ...[anyOf, oneOf].filter((list) => Array.isArray(list)),
  ];
  let forms: readonly JsonObject[] = [own];
  for (const alternatives of parts) {
    const inner = alternatives.flatMap((one) => formsOf(one, root, depth + 1, seen));
    // Parts multiply each other, which honest schemas do not make much of.
    forms = forms
      .flatMap((form) => inner.map((one) => joinSchemas(one as JsonObject, form)))
      .slice(0, mostForms);
  }
  return forms;
}

function lookUp(reference: string, root: JsonSchema): unknown {
  let found: unknown = reference === "#" || reference.startsWith("#/") ? root : undefined;
  for (const key of reference.split("/").slice(1)) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}
