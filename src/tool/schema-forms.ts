import { isJsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";

/** How deep references and alternatives are followed, and how many: a stranger's may branch without end. */
const deepestForm = 8;
const mostForms = 500;

/** The alternatives that a schema allows (`anyOf`, `oneOf`), local references followed. */
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
  if (!isJsonObject(schema) || depth > deepestForm || seen.count > mostForms) {
    return [];
  }
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    return formsOf(lookUp(reference, root), root, depth + 1, seen);
  }
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(alternatives)
    ? alternatives.flatMap((alternative) => formsOf(alternative, root, depth + 1, seen))
    : [schema];
}

function lookUp(reference: string, root: JsonSchema): unknown {
  let found: unknown = reference === "#" || reference.startsWith("#/") ? root : undefined;
  for (const key of reference.split("/").slice(1)) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}
