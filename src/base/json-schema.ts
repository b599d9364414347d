import type { OutputUnit, Validator } from "@cfworker/json-schema";
import type { Json } from "./json.ts";

/** A JSON Schema, draft 2020-12 unless it says otherwise. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  /** Where, as in `items[0].name`; the empty string is the value itself. */
  readonly path: string;
  /** What is wrong there, in words. */
  readonly message: string;
}

/** Validators by schema object: compiled on first use, gone with the schema. */
const validators = new WeakMap<JsonSchema, Validator>();

/** No more issues than a model can act on at once. */
const mostIssues = 10;

/**
 * Checks a value against a plain JSON Schema (draft 2020-12). The validator interprets the schema
 * and never turns it into code, so that a schema from a stranger's server cannot run anything.
 *
 * @returns what is wrong, the deepest causes only; empty where the value is valid.
 */
export async function checkJsonSchema(
  schema: JsonSchema,
  value: unknown,
): Promise<readonly SchemaIssue[]> {
  const validator = validators.get(schema) ?? (await compile(schema));
  const { valid, errors } = validator.validate(value);
  return valid ? [] : deepest(errors).slice(0, mostIssues).map(toIssue(value));
}

/** `["items", 0, "name"]` as `items[0].name`. */
export function pathText(keys: readonly PropertyKey[]): string {
  return keys
    .map((key) => (/^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

async function compile(schema: JsonSchema): Promise<Validator> {
  const { Validator } = await import("@cfworker/json-schema");
  const validator = new Validator(schema, "2020-12", false);
  validators.set(schema, validator);
  return validator;
}

/** Keywords whose error only says that a part further in is wrong. */
const carriers = new Set(["properties", "items", "prefixItems", "$ref", "$dynamicRef", "allOf"]);

function deepest(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  const causes = errors.filter(({ keyword }) => !carriers.has(keyword) && keyword !== "false");
  return causes.length > 0 ? causes : errors;
}

const toIssue =
  (root: unknown) =>
  ({ keyword, error, instanceLocation }: OutputUnit): SchemaIssue => {
    const keys = instanceLocation
      .split("/")
      .slice(1)
      .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
    return { path: pathText(keys), message: phrase(keyword, error, valueAt(root, keys)) };
  };

function phrase(keyword: string, error: string, value: Json | undefined): string {
  const got = value === undefined ? "" : `, got ${shorten(JSON.stringify(value))}`;
  const plain = error.replace(/^Instance /, "").replace(/\.$/, "");
  switch (keyword) {
    case "required":
      return plain.replace(/^does not have required property/, "missing required property");
    case "additionalProperties":
    case "unevaluatedProperties":
      return plain.replace(/^Property (".*") does not match .*$/, "unknown property $1");
    case "type":
      return `${plain.replace(/^type .* is invalid\. Expected/, "must be")}${got}`;
    case "enum":
      return `${plain.replace(/^does not match any of/, "must be one of")}${got}`;
    default:
      return `${plain}${got}`;
  }
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}…` : text);

function valueAt(root: unknown, keys: readonly string[]): Json | undefined {
  let value = root;
  for (const key of keys) {
    value = (value as Record<string, unknown> | undefined)?.[key];
  }
  return value as Json | undefined; // only printed, by JSON.stringify
}
