import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import type { JsonSchema, JsonSchemaCheck, SchemaIssue } from "../base/json-schema.ts";
import { checkSchema } from "../base/schema.ts";
import { ToolError } from "../base/tool-error.ts";
import { schemaForms } from "./schema-forms.ts";
import type { Tool } from "./tool.ts";

/** What a model wrote as arguments, parsed. */
export type ParsedArguments =
  | { readonly kind: "object"; readonly value: JsonObject }
  | { readonly kind: "malformed"; readonly text: string };

/** No tool takes arguments that are nested deeper. */
const deepestArguments = 200;

/** Whether a value is nested deeper, found without recursion. */
function isDeeperThan(limit: number, value: Json): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= limit && level.length > 0; depth += 1) {
    level = level.flatMap((one): readonly unknown[] =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return level.length > 0;
}

/** How much of a broken text is kept, in characters. */
const mostMalformedCharacters = 500;

/**
 * Parses arguments as models and gateways write them: nothing, blanks, `null` and `[]` mean no
 * arguments, an object that was encoded twice is decoded twice, and an empty object before the
 * arguments (which some gateways begin with) is passed over.
 */
export function parseArguments(text: string): ParsedArguments {
  const trimmed = text.trim();
  const once = parseWritten(trimmed);
  const value = typeof once === "string" ? parseWritten(once.trim()) : once;
  return isJsonObject(value) && !isDeeperThan(deepestArguments, value)
    ? { kind: "object", value }
    : { kind: "malformed", text: trimmed.slice(0, mostMalformedCharacters) };
}

function parseWritten(text: string): Json | undefined {
  if (text === "" || text === "null" || /^\[\s*\]$/.test(text)) {
    return {};
  }
  return parseJson(text) ?? parseJson(text.replace(/^(?:\{\s*\}\s*)+(?=\{)/, ""));
}

/**
 * Checks arguments for a tool, after mending what models commonly get wrong: `null` for an optional
 * property that may not be null is left out, and an object, array, number, boolean or null written as
 * a JSON string is decoded, where the schema wants it so.
 *
 * @returns the value to execute the tool with.
 * @throws ToolError `invalid-arguments`, in words that a model can act on; ConfigurationError
 *   `invalid-schema` where the schema of a tool of the application's own is of no use.
 */
export async function checkArguments(tool: Tool, given: JsonObject): Promise<unknown> {
  const mended = mend(given, tool.parameters, tool.parameters);
  const check = await checkSchema(tool.inputSchema, mended);
  if (check.kind === "valid") {
    return check.value;
  }
  if (check.kind === "unchecked") {
    return unchecked(tool, mended, check);
  }
  throw new ToolError(
    `The arguments of tool "${tool.name}" are not valid, so it was not run:\n${listIssues(check.issues)}\nCall it again with arguments that fit its schema.`,
    { code: "invalid-arguments" },
  );
}

/** A server's schema that is of no use, or that takes too long, is the server's own affair: it checks, too. */
function unchecked(
  { name, source }: Tool,
  input: Json,
  { cause, reason }: Extract<JsonSchemaCheck, { kind: "unchecked" }>,
): Json {
  if (source === undefined && cause === "schema") {
    throw new ConfigurationError(`The inputSchema of tool "${name}" ${reason}.`, {
      code: "invalid-schema",
    });
  }
  return input;
}

const listIssues = (issues: readonly SchemaIssue[]): string =>
  issues.map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`).join("\n");

/** Deeper data is refused when it is checked. */
const deepestMended = 256;

function mend(value: Json, schema: unknown, root: JsonSchema, depth = 0): Json {
  if (depth > deepestMended) {
    return value;
  }
  const forms = schemaForms(schema, root);
  const decoded = typeof value === "string" ? decode(value, forms) : value;
  if (Array.isArray(decoded)) {
    return decoded.map((item: Json, index) => {
      const schemas = forms.flatMap((form) => itemSchemas(form, index));
      return schemas.length === 0 ? item : mend(item, eitherOf(schemas), root, depth + 1);
    });
  }
  return isJsonObject(decoded) ? mendObject(decoded, forms, { root, depth }) : decoded;
}

const eitherOf = (schemas: readonly unknown[]): unknown =>
  schemas.length === 1 ? schemas[0] : { anyOf: schemas };

function itemSchemas({ prefixItems, items }: JsonSchema, index: number): readonly unknown[] {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return [first[index] ?? items].filter(isJsonObject);
}

function mendObject(
  value: JsonObject,
  forms: readonly JsonSchema[],
  { root, depth }: { readonly root: JsonSchema; readonly depth: number },
): JsonObject {
  const meant = forms.filter((form) => isMeant(form, value));
  const entries = Object.entries(value).flatMap(([key, inner]): readonly [string, Json][] => {
    const named = meant.filter((form) => propertyOf(form, key) !== undefined);
    const schemas =
      named.length > 0
        ? named.map((form) => propertyOf(form, key))
        : meant.map((form) => form["additionalProperties"]).filter(isJsonObject);
    const isOptional = named.some((form) => !listOf(form["required"]).includes(key));
    const isNullable = named.some((form) =>
      allows(schemaForms(propertyOf(form, key), root), "null"),
    );
    if (inner === undefined || (inner === null && isOptional && !isNullable)) {
      return [];
    }
    return [[key, schemas.length === 0 ? inner : mend(inner, eitherOf(schemas), root, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

/** Whether the object may be of this form, as far as the form's constants tell. */
const isMeant = (form: JsonSchema, value: JsonObject): boolean =>
  Object.entries(isJsonObject(form["properties"]) ? form["properties"] : {}).every(
    ([key, property]) =>
      !isJsonObject(property) ||
      property["const"] === undefined ||
      value[key] === undefined ||
      property["const"] === value[key],
  );

function propertyOf({ properties }: JsonSchema, key: string): unknown {
  return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A string stays one where a string is allowed. */
function decode(text: string, forms: readonly JsonSchema[]): Json {
  if (forms.length === 0 || allows(forms, "string")) {
    return text;
  }
  const value = parseJson(text);
  return value !== undefined && typesOf(value).some((type) => allows(forms, type)) ? value : text;
}

/** The types of a value that a text may stand for; none where the text says more than the value. */
function typesOf(value: Json): readonly string[] {
  if (typeof value === "number") {
    const isExact = Number.isSafeInteger(value) || !Number.isInteger(value);
    return isExact ? ["number", ...(Number.isInteger(value) ? ["integer"] : [])] : [];
  }
  return typeof value === "string" ? [] : [typeOf(value)];
}

function allows(forms: readonly JsonSchema[], type: string): boolean {
  return forms.some((form) => {
    const stated = form["type"];
    if (stated !== undefined) {
      return Array.isArray(stated) ? stated.includes(type) : stated === type;
    }
    const values = "const" in form ? [form["const"]] : form["enum"];
    return !Array.isArray(values) || values.some((value) => typeOf(value) === type);
  });
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
