import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import type { OutputRequest } from "../model/model.ts";

/** How JSON is asked for in chat completions. */
export type StructuredOutput =
  /** `response_format` with the schema: the server holds the model to it. */
  | "json_schema"
  /** `response_format` that asks for any JSON object, and the schema in words. */
  | "json_object"
  /** The schema in words alone. */
  | "none";

/** What asks for the JSON that is wanted. */
export interface OutputForm {
  readonly responseFormat?: JsonObject;
  /** Whether the schema has to be told in words as well. */
  readonly inWords: boolean;
}

/**
 * @param toDialect the provider's form of a schema; `undefined` where the form says nothing.
 */
export function toOutputForm(
  output: OutputRequest | undefined,
  mode: StructuredOutput,
  toDialect: (schema: JsonSchema) => JsonSchema | undefined,
): OutputForm {
  if (output === undefined) {
    return { inWords: false };
  }
  // Both forms of response_format give objects only.
  if (mode === "none" || !isObjectSchema(output.schema)) {
    return { inWords: true };
  }
  const schema = mode === "json_schema" ? toDialect(output.schema) : undefined;
  if (schema === undefined) {
    return { responseFormat: { type: "json_object" }, inWords: true };
  }
  const name = (output.name ?? "output").replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  // A rendered schema is plain JSON, as the one that it was made of.
  const json_schema = { name: name || "output", schema: schema as JsonObject };
  return { responseFormat: { type: "json_schema", json_schema }, inWords: false };
}

/** Whether every value of the schema is an object, as far as its root tells. */
export function isObjectSchema(schema: JsonSchema): boolean {
  const { type, properties, anyOf, oneOf, allOf } = schema;
  if (type !== undefined) {
    return type === "object";
  }
  const branches = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0);
  const isObject = (part: unknown): boolean => isJsonObject(part) && isObjectSchema(part);
  return (
    isJsonObject(properties) ||
    (Array.isArray(branches) && branches.every(isObject)) ||
    (Array.isArray(allOf) && allOf.some(isObject))
  );
}
