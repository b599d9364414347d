import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";

/** What one of Gemini's two ways to write a schema can say. */
export interface GeminiForm {
  /** Keywords that are passed on as they are. */
  readonly kept: ReadonlySet<string>;
  /** Whether a value may stand in an `enum`. */
  readonly isEnumValue: (value: unknown) => boolean;
  /** The same schema, which allows null as well. */
  readonly withNull: (schema: JsonSchema) => JsonSchema;
  /** Whether it has `additionalProperties`. */
  readonly saysMore: boolean;
  /** What is said of properties that have no name. */
  readonly more: (schema: JsonObject, convertPart: (part: unknown) => JsonSchema) => JsonSchema;
}

const keptByBoth = ["title", "description", "minItems", "maxItems", "minimum", "maximum"];

/** The subset of OpenAPI 3.0: a declaration's `parameters`, a request's `responseSchema`. */
export const openApiForm: GeminiForm = {
  kept: new Set([
    ...keptByBoth,
    ...["default", "minLength", "maxLength", "minProperties", "maxProperties", "pattern"],
  ]),
  isEnumValue: (value) => typeof value === "string" && value !== "",
  withNull: (schema) => ({ ...schema, nullable: true }),
  saysMore: false,
  more: () => ({}),
};

/** The subset of JSON Schema: a declaration's `parametersJsonSchema`. */
export const jsonSchemaForm: GeminiForm = {
  kept: new Set(keptByBoth),
  isEnumValue: (value) => (typeof value === "string" && value !== "") || typeof value === "number",
  withNull: (schema) => {
    const { type, enum: values, anyOf, ...rest } = schema;
    const branches = Array.isArray(anyOf)
      ? anyOf
      : values === undefined
        ? undefined
        : [{ type, enum: values }];
    if (branches !== undefined) {
      return { ...rest, anyOf: [...branches, { type: "null" }] };
    }
    return { ...rest, ...(type === undefined ? {} : { type: [type, "null"] }) };
  },
  saysMore: true,
  more: ({ additionalProperties: more }, convertPart) =>
    more === undefined
      ? {}
      : { additionalProperties: isJsonObject(more) ? convertPart(more) : more !== false },
};
