import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { ConfigurationError, messageOf } from "./dragoman-error.ts";
import { isJsonObject, type Json } from "./json.ts";
import {
  checkJsonSchema,
  type JsonSchema,
  type JsonSchemaCheck,
  type SchemaIssue,
} from "./json-schema.ts";
import { pathText } from "./path-text.ts";

/**
 * What describes and checks a value: any Standard Schema (zod 4.2+, ArkType, Valibot with its JSON
 * Schema package, …) or a plain JSON Schema.
 */
export type Schema<Output = unknown> = StandardSchemaV1<unknown, Output> | JsonSchema;

/** The type of a value that a schema has let through; a plain JSON Schema gives a JSON object. */
export type InferSchema<Given extends Schema> = Given extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Given>
  : { readonly [key: string]: Json };

/** The outcome of {@link checkSchema}. */
export type SchemaCheck<Output> =
  | { readonly kind: "valid"; readonly value: Output }
  | { readonly kind: "invalid"; readonly issues: readonly SchemaIssue[] }
  /** Nothing can be said; see {@link JsonSchemaCheck}. */
  | Extract<JsonSchemaCheck, { kind: "unchecked" }>;

/** Whether `schema` is a Standard Schema, rather than a plain JSON Schema. */
function isStandardSchema(schema: Schema): schema is StandardSchemaV1 {
  return isStandard(schema);
}

const isStandard = (value: unknown): boolean =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  "~standard" in value;

/**
 * The JSON Schema that describes what a schema takes (`"input"`) or gives (`"output"`).
 *
 * @param where names the schema in errors, such as `inputSchema of tool "add"`.
 * @throws ConfigurationError `invalid-schema` where the library cannot say it as JSON Schema.
 */
export function toJsonSchema(
  schema: Schema,
  direction: "input" | "output",
  where: string,
): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (!isJsonObject(schema)) {
      throw new ConfigurationError(`The ${where} is not a schema.`, { code: "invalid-schema" });
    }
    const property = Object.keys(schema).find((key) => isStandard(schema[key]));
    if (property !== undefined) {
      throw new ConfigurationError(
        `The ${where} is no schema itself, though its "${property}" is one: wrap it, as in z.object({ ${property}: … }).`,
        { code: "invalid-schema" },
      );
    }
    return schema;
  }
  const { vendor, jsonSchema } = schema["~standard"] as Partial<StandardJSONSchemaV1.Props> & {
    vendor: string;
  };
  if (jsonSchema === undefined) {
    throw new ConfigurationError(
      `The ${where} is a ${vendor} schema that cannot be turned into JSON Schema. Use a version of ${vendor} that implements Standard JSON Schema (zod 4.2+, ArkType 2.1.28+, Valibot with toStandardJsonSchema), or give a plain JSON Schema.`,
      { code: "invalid-schema" },
    );
  }
  try {
    const { $schema: _dialect, ...keywords } = jsonSchema[direction]({ target: "draft-2020-12" });
    return keywords;
  } catch (cause) {
    throw new ConfigurationError(
      `The ${where} cannot be turned into JSON Schema: ${messageOf(cause)}`,
      { code: "invalid-schema", cause },
    );
  }
}

/**
 * Checks a value; a Standard Schema may also transform it (defaults, coercion). Of a plain JSON Schema
 * `format` is checked, too.
 */
export async function checkSchema<Output>(
  schema: Schema<Output>,
  value: unknown,
): Promise<SchemaCheck<Output>> {
  if (!isStandardSchema(schema)) {
    const check = await checkJsonSchema(schema, value, { formats: true });
    // A plain JSON Schema promises its caller no more than JSON.
    return check.kind === "valid" ? { kind: "valid", value: value as Output } : check;
  }
  const outcome = await schema["~standard"].validate(value);
  return outcome.issues === undefined
    ? { kind: "valid", value: outcome.value as Output }
    : { kind: "invalid", issues: outcome.issues.map(toIssue) };
}

function toIssue(issue: StandardSchemaV1.Issue): SchemaIssue {
  const keys = (issue.path ?? []).map((part) => (typeof part === "object" ? part.key : part));
  return { path: pathText(keys), message: issue.message };
}
