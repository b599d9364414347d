import { isJsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { toOpenAiSchema } from "../provider/json-schema-dialect.ts";
import { mapSubschemas } from "../provider/json-schema-walk.ts";

/**
 * A tool's schema as Anthropic takes it: as OpenAI does, but every property has a name that Anthropic
 * allows. Others are told of in the description, and may still be given.
 */
export const toAnthropicSchema = (schema: JsonSchema): JsonSchema =>
  convert(toOpenAiSchema(schema));

const convert = (schema: JsonSchema): JsonSchema =>
  withoutOddNames(mapSubschemas(schema, (part) => (isJsonObject(part) ? convert(part) : {})));

const isAllowed = (name: string): boolean => /^[a-zA-Z0-9_.-]{1,64}$/.test(name);

function withoutOddNames(schema: JsonSchema): JsonSchema {
  const { properties, required, additionalProperties, ...rest } = schema;
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  const odd = entries.filter(([name]) => !isAllowed(name));
  if (odd.length === 0) {
    return schema;
  }
  const note = `Further properties: ${JSON.stringify(Object.fromEntries(odd)).slice(0, 1_000)}`;
  const names = Array.isArray(required) ? required : [];
  return {
    ...rest,
    description: [rest["description"], note].filter((text) => text !== undefined).join(" "),
    properties: Object.fromEntries(entries.filter(([name]) => isAllowed(name))),
    required: names.filter((name) => isAllowed(`${name}`)),
  };
}
