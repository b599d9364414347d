import type { Json, JsonObject } from "../../src/base/json.ts";

interface Common {
  /** The property's name; empty for an entry of a list. */
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly initial: Json | undefined;
}

/** One field of a form, by what a JSON Schema says of the value. */
export type SchemaField = Common &
  (
    | {
        readonly kind: "text";
        readonly format: "text" | "email" | "url" | "date" | "datetime-local" | "long";
        readonly maxLength: number | undefined;
      }
    | {
        readonly kind: "number";
        readonly isWhole: boolean;
        readonly minimum: number | undefined;
        readonly maximum: number | undefined;
      }
    | { readonly kind: "boolean" }
    | { readonly kind: "choice"; readonly choices: readonly Choice[] }
    | { readonly kind: "choices"; readonly choices: readonly Choice[] }
    | { readonly kind: "list"; readonly entry: SchemaField }
    | { readonly kind: "group"; readonly fields: readonly SchemaField[] }
    /** What no field of its own is for is written as JSON. */
    | { readonly kind: "json" }
  );

/** A value that can be chosen, and what it is called. */
export interface Choice {
  readonly value: Json;
  readonly label: string;
}

/** Deeper values are written as JSON. */
const deepest = 3;

/** The fields of an object's schema, in the schema's order; `undefined` where it is better written as JSON. */
export function fieldsOf(schema: JsonObject): readonly SchemaField[] | undefined {
  const root = resolved(schema, schema);
  const { properties, anyOf, oneOf, allOf } = root;
  if ((anyOf ?? oneOf ?? allOf) !== undefined) {
    return undefined;
  }
  if (properties === undefined) {
    return root["additionalProperties"] === false || root["type"] === "object" ? [] : undefined;
  }
  return isObject(properties) ? fieldsIn(root, { root, depth: 1 }) : undefined;
}

interface Scope {
  readonly root: JsonObject;
  readonly depth: number;
}

function fieldsIn({ properties, required }: JsonObject, scope: Scope): readonly SchemaField[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) =>
    toField(name, isObject(schema) ? schema : {}, { ...scope, isRequired: needed.includes(name) }),
  );
}

function toField(
  name: string,
  given: JsonObject,
  scope: Scope & { readonly isRequired: boolean },
): SchemaField {
  const { root, depth, isRequired } = scope;
  const schema = withoutNull(resolved(given, root), root);
  const { title, description, default: initial, examples } = schema;
  const common: Common = {
    name,
    label: typeof title === "string" && title !== "" ? title : name,
    description: textIn(description) ?? textIn(given["description"]),
    isRequired,
    initial: initial ?? given["default"] ?? (Array.isArray(examples) ? examples[0] : undefined),
  };
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    return { ...common, kind: "choice", choices };
  }
  switch (schema["type"]) {
    case "string":
      return {
        ...common,
        kind: "text",
        format: formatOf(schema),
        maxLength: numberIn(schema["maxLength"]),
      };
    case "number":
    case "integer":
      return {
        ...common,
        kind: "number",
        isWhole: schema["type"] === "integer",
        minimum: numberIn(schema["minimum"]),
        maximum: numberIn(schema["maximum"]),
      };
    case "boolean":
      return { ...common, kind: "boolean" };
    case "array":
      return toList(common, schema, scope);
    case "object":
      return isObject(schema["properties"]) && depth < deepest
        ? { ...common, kind: "group", fields: fieldsIn(schema, { root, depth: depth + 1 }) }
        : { ...common, kind: "json" };
    default:
      return { ...common, kind: "json" };
  }
}

function toList(common: Common, { items }: JsonObject, { root, depth }: Scope): SchemaField {
  if (!isObject(items) || depth >= deepest) {
    return { ...common, kind: "json" };
  }
  const choices = choicesOf(resolved(items, root));
  if (choices !== undefined) {
    return { ...common, kind: "choices", choices };
  }
  const entry = toField("", items, { root, depth: depth + 1, isRequired: true });
  return entry.kind === "json" ? { ...common, kind: "json" } : { ...common, kind: "list", entry };
}

function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  const { enum: values, enumNames, const: only, oneOf, anyOf } = schema;
  if (only !== undefined) {
    return [{ value: only, label: labelOf(only) }];
  }
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, label: textIn(names[index]) ?? labelOf(value) }));
  }
  const options = oneOf ?? anyOf;
  return Array.isArray(options) && options.length > 0 && options.every(isConstant)
    ? options.map((option) => ({
        value: option["const"] ?? null,
        label: textIn(option["title"]) ?? labelOf(option["const"] ?? null),
      }))
    : undefined;
}

const isConstant = (value: Json): value is JsonObject =>
  isObject(value) && value["const"] !== undefined;

const labelOf = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value);

function formatOf({
  format,
  maxLength,
}: JsonObject): Extract<SchemaField, { kind: "text" }>["format"] {
  switch (format) {
    case "email":
    case "date":
      return format;
    case "uri":
      return "url";
    case "date-time":
      return "text";
    default:
      return typeof maxLength === "number" && maxLength <= 80 ? "text" : "long";
  }
}

/** A value that may also be `null` is one that may be left out. */
function withoutNull(schema: JsonObject, root: JsonObject): JsonObject {
  const { type, anyOf, oneOf } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== "null");
    return types.length === 1 ? { ...schema, type: types[0] ?? "null" } : schema;
  }
  const options = anyOf ?? oneOf;
  if (Array.isArray(options)) {
    const rest = options.filter((one) => !(isObject(one) && one["type"] === "null"));
    const [only] = rest;
    if (rest.length === 1 && rest.length < options.length && isObject(only)) {
      const { anyOf: _, oneOf: __, ...around } = schema;
      return { ...resolved(only, root), ...around };
    }
  }
  return schema;
}

/** A schema in place of a reference to it, within the same document. */
function resolved(schema: JsonObject, root: JsonObject, tries = 8): JsonObject {
  const { $ref: reference, ...around } = schema;
  if (typeof reference !== "string" || !reference.startsWith("#/") || tries === 0) {
    return schema;
  }
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? found[key] : undefined;
  }
  return isObject(found) ? { ...resolved(found, root, tries - 1), ...around } : schema;
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const numberIn = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : undefined;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
