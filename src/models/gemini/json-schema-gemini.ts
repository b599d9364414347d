import { joinSchemas } from "../../base/join-schemas.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { selfSchema } from "../provider/json-schema-references.ts";
import { toObjectSchema } from "../provider/json-schema-root.ts";
import { toSoundSchema } from "../provider/json-schema-sound.ts";
import { resolveReference } from "../provider/json-schema-walk.ts";
import { type GeminiForm, jsonSchemaForm, openApiForm } from "./json-schema-gemini-form.ts";

/**
 * A tool's schema in the subset of OpenAPI 3.0 that Gemini's function declarations document, or
 * `undefined` for a tool without properties, whose `parameters` Gemini wants left out.
 *
 * References are put in place, one to itself ends as an open object; `const` becomes an `enum` of one,
 * `oneOf` becomes `anyOf`, null becomes `nullable`, `allOf` is joined. What the subset cannot say stands
 * in the description, so that the model still knows of it. Nothing gets narrower.
 */
export const toGeminiSchema = (schema: JsonSchema): JsonSchema | undefined =>
  parametersIn(schema, openApiForm);

/**
 * The same in the subset of JSON Schema that Gemini's `parametersJsonSchema` documents: it can say
 * more, such as enums of numbers and maps.
 */
export const toGeminiJsonSchema = (schema: JsonSchema): JsonSchema | undefined =>
  parametersIn(schema, jsonSchemaForm);

/**
 * The schema of a value that Gemini is to answer with, for `responseSchema`; `undefined` where nothing
 * of it can be said there.
 */
export function toGeminiResponseSchema(schema: JsonSchema): JsonSchema | undefined {
  const converted = convert(schema, { root: schema, size: 0, form: openApiForm }, []);
  const isSaid = converted["type"] !== undefined || converted["anyOf"] !== undefined;
  return isSaid ? converted : undefined;
}

function parametersIn(schema: JsonSchema, form: GeminiForm): JsonSchema | undefined {
  const root = toObjectSchema(schema);
  const converted = convert(root, { root, size: 0, form }, []);
  const more = converted["additionalProperties"];
  return converted["properties"] === undefined && !isJsonObject(more) ? undefined : converted;
}

interface Scope {
  /** What references lead into. */
  readonly root: JsonSchema;
  /** Schemas that have been converted so far: references multiply them. */
  size: number;
  readonly form: GeminiForm;
}

const mostSchemas = 5_000;
const deepest = 64;

/** References that are being put in place, and one empty text for each other level. */
type Path = readonly string[];

/** Keywords that are rendered, or that a model need not know of. */
const handled = new Set([
  ...["type", "properties", "required", "items", "prefixItems", "anyOf", "oneOf", "enum", "const"],
  ...["format", "nullable", "$defs", "definitions", "$schema", "$id", "$anchor", "$comment"],
  ...["examples", "deprecated", "readOnly", "writeOnly", "additionalItems"],
]);

function convert(given: unknown, scope: Scope, path: Path): JsonSchema {
  scope.size += 1;
  if (!isJsonObject(given) || scope.size > mostSchemas || path.length > deepest) {
    return {};
  }
  const [flat, inner] = flatten(given, scope, path);
  const schema = toSoundSchema(flat);
  const { form } = scope;
  const choice = choiceOf(schema, form);
  const place: Place = { form, convertPart: (part) => convert(part, scope, [...inner, ""]) };
  const rendered = withChoice(schema, choice, place);
  const notes = [...choice.notes, ...notesOn(schema, form)];
  const entries = Object.entries(schema).filter(([keyword]) => form.kept.has(keyword));
  const description = [schema["description"], ...notes].filter((text) => text !== undefined);
  const converted = {
    ...Object.fromEntries(entries),
    ...rendered,
    ...(description.length === 0 ? {} : { description: description.join(" ") }),
  };
  return choice.nullable ? form.withNull(converted) : converted;
}

/** How what is inside a schema is written. */
interface Place {
  readonly form: GeminiForm;
  readonly convertPart: (part: unknown) => JsonSchema;
}

/** The schema with its reference and its `allOf` in one; the path is that of what is inside. */
function flatten(schema: JsonObject, scope: Scope, path: Path): readonly [JsonObject, Path] {
  const { $ref: reference, allOf, ...own } = schema;
  let inner = path;
  const parts: JsonObject[] = [];
  if (typeof reference === "string") {
    const target = resolveReference(reference, scope.root);
    if (path.includes(reference)) {
      parts.push(selfSchema(target ?? {}));
    } else if (target !== undefined) {
      inner = [...path, reference];
      parts.push(target);
    }
  }
  parts.push(...(Array.isArray(allOf) ? allOf.filter(isJsonObject) : []));
  let joined: JsonObject = {};
  for (const part of parts) {
    const isNested = part["$ref"] !== undefined || part["allOf"] !== undefined;
    const [flat, deeper] =
      isNested && inner.length <= deepest ? flatten(part, scope, [...inner, ""]) : [part, inner];
    joined = joinSchemas(joined, flat);
    inner = deeper;
  }
  return [joinSchemas(joined, own), inner];
}

/** Which values a schema chooses from. */
interface Choice {
  /** Of `type`, or of the values; without null. */
  readonly types: readonly string[];
  /** Values that may be said as `enum`. */
  readonly listed: readonly unknown[];
  /** Alternatives other than null. */
  readonly branches: readonly JsonObject[];
  readonly nullable: boolean;
  readonly notes: readonly string[];
}

function choiceOf(schema: JsonObject, form: GeminiForm): Choice {
  const branches = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].filter(isJsonObject);
  const values = schema["const"] === undefined ? listOf(schema["enum"]) : [schema["const"]];
  const wanted = values.filter((value) => value !== null);
  const types = [schema["type"] ?? [...new Set(wanted.map(typeOf))]].flat();
  const isNull = (branch: JsonObject): boolean =>
    branch["type"] === "null" || branch["const"] === null;
  const isSaid = wanted.every(form.isEnumValue);
  return {
    types: types.filter((type) => typeof type === "string" && type !== "null") as string[], // as just filtered
    listed: isSaid ? wanted : [],
    branches: branches.filter((branch) => !isNull(branch)),
    nullable:
      types.includes("null") ||
      branches.some(isNull) ||
      values.includes(null) ||
      schema["nullable"] === true,
    notes: isSaid ? [] : [`One of: ${wanted.map((value) => JSON.stringify(value)).join(", ")}.`],
  };
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);

function withChoice(
  schema: JsonObject,
  { types, listed, branches }: Choice,
  place: Place,
): JsonSchema {
  const hasForm = schema["properties"] !== undefined || schema["items"] !== undefined;
  const [only, ...others] = branches;
  if (!hasForm && only !== undefined) {
    return others.length === 0
      ? place.convertPart(only)
      : { anyOf: branches.map(place.convertPart) };
  }
  if (types.length > 1 && listed.length === 0) {
    const alternatives = types.map((type) => formOf(schema, type, place));
    return { anyOf: alternatives };
  }
  const [type] = types;
  const isText = listed.length > 0 && listed.every((value) => typeof value === "string");
  return {
    ...formOf(schema, isText ? "string" : type, place),
    ...(listed.length === 0 ? {} : { enum: listed }),
  };
}

/** What a type has inside. */
function formOf(schema: JsonObject, type: string | undefined, place: Place): JsonSchema {
  const { properties, items, prefixItems, format } = schema;
  if (type === "array" || (type === undefined && items !== undefined)) {
    const element = isJsonObject(items)
      ? items
      : { anyOf: [...listOf(items), ...listOf(prefixItems)] };
    return { type: "array", items: place.convertPart(element) };
  }
  if (type === "object" || (type === undefined && isJsonObject(properties))) {
    return objectFormOf(schema, place);
  }
  const typed = type === undefined ? {} : { type };
  return formats[type ?? ""]?.includes(`${format}`) ? { ...typed, format } : typed;
}

function objectFormOf(schema: JsonObject, { form, convertPart }: Place): JsonSchema {
  const properties = objectOf(schema["properties"]);
  const entries = Object.entries(properties).map(([name, part]) => [name, convertPart(part)]);
  const names = [...new Set(listOf(schema["required"]))].filter((name) =>
    Object.hasOwn(properties, `${name}`),
  );
  return {
    type: "object",
    ...(entries.length === 0 ? {} : { properties: Object.fromEntries(entries) }),
    ...(names.length === 0 ? {} : { required: names }),
    ...form.more(schema, convertPart),
  };
}

/** Formats that Gemini takes; another one refuses the whole request. */
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ["date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
};

/** The longest value of a keyword that a description repeats. */
const longestNote = 200;

function notesOn(schema: JsonObject, form: GeminiForm): readonly string[] {
  const { format, type } = schema;
  const isKnown = format === undefined || formats[`${type}`]?.includes(`${format}`);
  const notes = Object.entries(schema)
    .filter(
      ([keyword, value]) =>
        !form.kept.has(keyword) &&
        !handled.has(keyword) &&
        !isFlag(keyword, value) &&
        !(form.saysMore && keyword === "additionalProperties"),
    )
    .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)
    .filter((note) => note.length <= longestNote);
  const all = isKnown ? notes : [`format: ${JSON.stringify(format)}`, ...notes];
  return all.length === 0 ? [] : [`(${all.join(", ")})`];
}

const isFlag = (keyword: string, value: unknown): boolean =>
  /^(?:additional|unevaluated)/.test(keyword) && typeof value === "boolean";

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
