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
 * Parses arguments as models write them: nothing, blanks and `null` mean no arguments, and an object
 * that was encoded twice is decoded twice.
 */
export function parseArguments(text: string): ParsedArguments {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") {
    return { kind: "object", value: {} };
  }
  const once = parseJson(trimmed);
  const value = typeof once === "string" ? parseJson(once) : once;
  return isJsonObject(value) && !isDeeperThan(deepestArguments, value)
    ? { kind: "object", value }
    : { kind: "malformed", text: trimmed.slice(0, mostMalformedCharacters) };
}

/**
 * Checks arguments for a tool, after mending what models commonly get wrong: `null` for an optional
 * property that may not be null is left out, and an object or array written as a JSON string is
 * decoded, where the schema wants it so.
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
    const items = forms.find((form) => form["items"] !== undefined)?.["items"];
    return items === undefined
      ? decoded
      : decoded.map((item: Json) => mend(item, items, root, depth + 1));
  }
  return isJsonObject(decoded) ? mendObject(decoded, forms, { root, depth }) : decoded;
}

function mendObject(
  value: JsonObject,
  forms: readonly JsonSchema[],
  { root, depth }: { readonly root: JsonSchema; readonly depth: number },
): JsonObject {
  const form = forms.find(({ properties }) => isJsonObject(properties));
  if (form === undefined) {
    return value;
  }
  const properties = form["properties"] as Record<string, unknown>; // isJsonObject, above
  const required: readonly unknown[] = Array.isArray(form["required"]) ? form["required"] : [];
  const entries = Object.entries(value).filter(
    ([key, inner]) =>
      inner !== null ||
      required.includes(key) ||
      !Object.hasOwn(properties, key) ||
      allows(schemaForms(properties[key], root), "null"),
  );
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      inner !== undefined && Object.hasOwn(properties, key)
        ? mend(inner, properties[key], root, depth + 1)
        : inner,
    ]),
  );
}

/** A string stays one where a string is allowed. */
function decode(text: string, forms: readonly JsonSchema[]): Json {
  if (forms.length === 0 || allows(forms, "string")) {
    return text;
  }
  const value = parseJson(text);
  const wanted =
    (isJsonObject(value) && allows(forms, "object")) ||
    (Array.isArray(value) && allows(forms, "array"));
  return wanted && value !== undefined ? value : text;
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
