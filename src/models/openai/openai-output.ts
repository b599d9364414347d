import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import type { OutputRequest } from "../../model/model.ts";
import { strictForm, toClosedSchema } from "../provider/json-schema-closed.ts";

/** How JSON is asked for in chat completions. */
export type StructuredOutput =
  /** `response_format` with the schema: the server holds the model to it. */
  | "json_schema"
  /** `response_format` that asks for any JSON object, and the schema in words. */
  | "json_object"
  /** The schema in words alone. */
  | "none";

/** How a request says what its answer is to be. */
export interface OutputScope {
  readonly structuredOutput: StructuredOutput;
  /** The provider's form of a schema; `undefined` where there is nothing to say. */
  readonly toDialect: (schema: JsonSchema) => JsonSchema | undefined;
  /** Whether the provider knows OpenAI's strict mode. */
  readonly strict: boolean;
}

/** What asks for the JSON that is wanted. */
export interface OutputForm {
  readonly responseFormat?: JsonObject;
  /** Whether the schema has to be told in words as well. */
  readonly inWords: boolean;
}

/** Strict mode is asked for where it can say the schema; the provider holds the model to that only. */
export function toOutputForm(output: OutputRequest | undefined, scope: OutputScope): OutputForm {
  if (output === undefined) {
    return { inWords: false };
  }
  const { structuredOutput: mode, toDialect, strict } = scope;
  // Both forms of response_format give objects only.
  if (mode === "none" || !isObjectSchema(output.schema)) {
    return { inWords: true };
  }
  const closed = strict ? toClosedSchema(output.schema, strictForm) : undefined;
  const schema = mode === "json_schema" ? (closed ?? toDialect(output.schema)) : undefined;
  if (schema === undefined) {
    return { responseFormat: { type: "json_object" }, inWords: true };
  }
  const name = (output.name ?? "output").replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  const json_schema = {
    name: name || "output",
    // A rendered schema is plain JSON, as the one that it was made of.
    schema: schema as JsonObject,
    ...(closed === undefined ? {} : { strict: true }),
  };
  return { responseFormat: { type: "json_schema", json_schema }, inWords: false };
}

/** Whether every value of the schema is an object, as far as its root tells. */
function isObjectSchema(schema: JsonSchema): boolean {
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
