import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { toOpenAiSchema } from "./json-schema-dialect.ts";

/** What a provider that holds a model to a schema can hold it to. */
export interface ClosedForm {
  /** Assertions that it takes besides types, properties, enums and alternatives. */
  readonly assertions: ReadonlySet<string>;
  /** Formats of texts. */
  readonly formats: ReadonlySet<string>;
  /**
   * What becomes of a property that is not required: it stays so; it is required and may be null; or
   * there is no form for the schema.
   */
  readonly optional: "keep" | "nullable" | "refuse";
}

const formats = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
];

/** OpenAI's strict mode, for answers: what is not required cannot be said. */
export const strictForm: ClosedForm = {
  assertions: new Set([
    ...["pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
    ...["minItems", "maxItems"],
  ]),
  formats: new Set(formats),
  optional: "refuse",
};

/** OpenAI's strict mode, for arguments: a null for what is not required is taken out again. */
export const strictArgumentsForm: ClosedForm = { ...strictForm, optional: "nullable" };

/** Anthropic's structured outputs. */
export const anthropicForm: ClosedForm = {
  assertions: new Set(),
  formats: new Set([...formats, "uri"]),
  optional: "keep",
};

/**
 * A schema of an object in which every object is closed and every value has a type, as providers want
 * it that hold a model to it; `undefined` where it would forbid what the schema allows by intent (a
 * map, any value, an object in itself). References are put in place. Assertions that the provider does
 * not know stand in the description: who gets the value checks it against the original.
 */
export function toClosedSchema(schema: JsonSchema, form: ClosedForm): JsonObject | undefined {
  try {
    return convert(toOpenAiSchema(schema), { form, size: 0 });
  } catch (error) {
    if (error === noForm) {
      return undefined;
    }
    throw error;
  }
}

/** Thrown where there is no form for a part. */
const noForm = Symbol("no form");

interface Scope {
  readonly form: ClosedForm;
  /** Schemas that have been converted so far. */
  size: number;
}

const mostSchemas = 2_000;

function convert(given: unknown, scope: Scope): JsonObject {
  scope.size += 1;
  if (!isJsonObject(given) || scope.size > mostSchemas) {
    throw noForm;
  }
  const { allOf, anyOf, oneOf, ...schema } = given;
  const [only, ...others] = listOf(allOf);
  if (only !== undefined) {
    if (others.length > 0 || !isJsonObject(only)) {
      throw noForm; // what several parts allow together is not always what one can say
    }
    return convert({ ...only, ...schema }, scope);
  }
  const branches = [...listOf(anyOf), ...listOf(oneOf)];
  const inner = (part: unknown): JsonObject => convert(part, scope);
  return branches.length > 0
    ? { ...wordsOf(schema, []), anyOf: branches.map(inner) }
    : convertTyped(schema, scope.form, inner);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type Convert = (part: unknown) => JsonObject;

function convertTyped(schema: JsonObject, form: ClosedForm, inner: Convert): JsonObject {
  const { type, enum: values, const: value } = schema;
  const listed = value === undefined ? values : [value];
  if (Array.isArray(listed)) {
    if (!listed.every(isPlain)) {
      throw noForm;
    }
    const typed = type === undefined ? {} : { type };
    return { ...typed, ...wordsOf(schema, []), enum: listed };
  }
  if (Array.isArray(type)) {
    const rest = { ...schema, description: undefined, title: undefined };
    return {
      ...wordsOf({ description: schema["description"], title: schema["title"] }, []),
      anyOf: type.map((one) => inner({ ...rest, type: one })),
    };
  }
  switch (type) {
    case "object":
      return convertObject(schema, form, inner);
    case "array":
      return {
        type,
        ...keptOf(schema, form, ["items"]),
        items: inner(schema["items"]),
      };
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return { type, ...keptOf(schema, form, []) };
    default:
      throw noForm;
  }
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== "object";

function convertObject(schema: JsonObject, form: ClosedForm, inner: Convert): JsonObject {
  const { properties, required, additionalProperties: more } = schema;
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  // Without a word on others, named properties are all that is meant.
  if (more === true || isJsonObject(more) || (entries.length === 0 && more !== false)) {
    throw noForm;
  }
  const isOptional = (name: string): boolean => !listOf(required).includes(name);
  if (form.optional === "refuse" && entries.some(([name]) => isOptional(name))) {
    throw noForm;
  }
  const isWidened = (name: string): boolean => form.optional === "nullable" && isOptional(name);
  return {
    type: "object",
    ...keptOf(schema, form, ["properties", "required", "additionalProperties"]),
    properties: Object.fromEntries(
      entries.map(([name, part]) => [name, isWidened(name) ? withNull(inner(part)) : inner(part)]),
    ),
    required: entries
      .map(([name]) => name)
      .filter((name) => form.optional === "nullable" || !isOptional(name)),
    additionalProperties: false,
  };
}

function withNull(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  return Array.isArray(anyOf)
    ? { ...schema, anyOf: [...anyOf.filter((part) => !isNull(part)), { type: "null" }] }
    : { anyOf: [schema, { type: "null" }] };
}

const isNull = (part: Json): boolean => isJsonObject(part) && part["type"] === "null";

/** What the form keeps of a schema, and the rest in words. */
function keptOf(schema: JsonObject, form: ClosedForm, handled: readonly string[]): JsonObject {
  const isKept = ([keyword, value]: readonly [string, unknown]): boolean =>
    form.assertions.has(keyword) || (keyword === "format" && form.formats.has(`${value}`));
  const kept = Object.entries(schema).filter(isKept);
  return {
    ...wordsOf(schema, [...handled, ...kept.map(([keyword]) => keyword)]),
    ...Object.fromEntries(kept),
  };
}

/** Keywords that assert nothing, or that are written elsewhere. */
const silent = new Set([
  ...["type", "title", "description", "enum", "const", "$defs", "definitions", "examples"],
  ...["$comment", "$anchor", "deprecated", "readOnly", "writeOnly"],
]);

/** Title and description, the latter with what the form cannot assert. */
function wordsOf(schema: JsonObject, handled: readonly string[]): JsonObject {
  const { title, description } = schema;
  const notes = Object.entries(schema)
    .filter(
      ([keyword, value]) =>
        value !== undefined && !silent.has(keyword) && !handled.includes(keyword),
    )
    .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)
    .filter((note) => note.length <= 200);
  const words = [description, ...(notes.length === 0 ? [] : [`(${notes.join(", ")})`])];
  const text = words.filter((word) => word !== undefined).join(" ");
  return {
    ...(title === undefined ? {} : { title }),
    ...(text === "" ? {} : { description: text }),
  };
}
