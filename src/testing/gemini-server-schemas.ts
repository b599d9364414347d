import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** What Gemini would refuse in a schema of its OpenAPI dialect, if anything. */
export function aboutGeminiSchema(schema: Json | undefined): string | undefined {
  return aboutSchema(schema, openApiKeywords, (given) => {
    const { type, properties, enum: values } = given;
    if (Array.isArray(type)) {
      return "type: Proto field is not repeating, cannot start list";
    }
    if (isJsonObject(properties) && Object.keys(properties).length === 0) {
      return "properties: should be non-empty for OBJECT type";
    }
    const isText = (value: Json): boolean => typeof value === "string" && value !== "";
    return Array.isArray(values) && !values.every(isText) ? "enum: cannot be empty" : undefined;
  });
}

/** What Gemini would refuse in a schema of its dialect of JSON Schema, if anything. */
export const aboutGeminiJsonSchema = (schema: Json | undefined): string | undefined =>
  aboutSchema(schema, jsonSchemaKeywords, ({ $ref: reference, ...rest }) =>
    reference !== undefined && Object.keys(rest).some((keyword) => !keyword.startsWith("$"))
      ? "$ref: no other keywords are allowed beside it"
      : undefined,
  );

const both = [
  ...["type", "format", "title", "description", "enum", "items", "minItems", "maxItems"],
  ...["minimum", "maximum", "anyOf", "properties", "required", "propertyOrdering"],
];

/** https://ai.google.dev/api/caching#Schema */
const openApiKeywords = new Set([
  ...both,
  ...["nullable", "default", "example", "minLength", "maxLength", "pattern"],
  ...["minProperties", "maxProperties"],
]);

/** https://ai.google.dev/api/generate-content#generationconfig, at `responseJsonSchema`. */
const jsonSchemaKeywords = new Set([
  ...both,
  ...["$id", "$defs", "$ref", "$anchor", "prefixItems", "oneOf", "additionalProperties"],
]);

const types = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);

function aboutSchema(
  schema: Json | undefined,
  keywords: ReadonlySet<string>,
  check: (schema: JsonObject) => string | undefined,
): string | undefined {
  if (!isJsonObject(schema)) {
    return undefined;
  }
  const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword));
  if (unknown !== undefined) {
    return `Unknown name "${unknown}": Cannot find field.`;
  }
  const { type, properties, items, anyOf, oneOf, additionalProperties } = schema;
  const stranger = [type ?? "null"].flat().find((one) => !types.has(`${one}`.toLowerCase()));
  if (stranger !== undefined) {
    return `Invalid value at 'type' (TYPE_ENUM), "${stranger}"`;
  }
  const inner = [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(Array.isArray(oneOf) ? oneOf : []),
    ...[items, additionalProperties],
  ];
  return (
    check(schema) ??
    inner
      .map((part) => aboutSchema(part, keywords, check))
      .find((complaint) => complaint !== undefined)
  );
}
