import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { schemaForms } from "./schema-forms.ts";

/** One argument of a tool, for forms, command lines and help texts. */
export type ToolParameter = {
  readonly name: string;
  /** What a value may be: `string`, `integer`, `object`, …; none where the schema does not say it plainly. */
  readonly types: readonly string[];
  readonly required: boolean;
  readonly description?: string;
  /** The values that are allowed, where they are listed. */
  readonly choices?: readonly Json[];
  readonly default?: Json;
  /** The schema of the argument, as it was. */
  readonly schema: Json;
};

/** The arguments of a tool as a list. */
export type ToolParameters = {
  /** In the order of the schema. */
  readonly parameters: readonly ToolParameter[];
  /** What the schema says besides: `$defs`, `additionalProperties`, `anyOf` and so on. */
  readonly rest: JsonObject;
};

/**
 * The arguments that a JSON Schema of type object describes, as a list. Nothing is lost: what the list
 * cannot say stands in each parameter's `schema` and in `rest`, and {@link fromToolParameters} leads
 * back. References into `$defs` and of one alternative are followed for `types` and `choices` only.
 */
export function toToolParameters(schema: JsonSchema): ToolParameters {
  const { properties, required, ...rest } = schema as JsonObject; // a schema is plain JSON
  const named = isJsonObject(properties) ? properties : {};
  const wanted = Array.isArray(required) ? required : [];
  const others = wanted.filter((name) => typeof name !== "string" || !Object.hasOwn(named, name));
  const parameters = Object.entries(named).map(([name, inner = true]) =>
    toParameter(name, inner, { root: schema, required: wanted.includes(name) }),
  );
  return {
    parameters,
    rest: {
      ...rest,
      ...(properties === undefined || isJsonObject(properties) ? {} : { properties }),
      ...(others.length === 0 ? {} : { required: others }),
    },
  };
}

/**
 * The JSON Schema of a list of parameters: of `schema` and `required` of each, and of `rest`. To change
 * a type or a description, change the `schema`.
 */
export function fromToolParameters({ parameters, rest }: ToolParameters): JsonSchema {
  const names = parameters.filter(({ required }) => required).map(({ name }) => name);
  const { required: others, ...besides } = rest;
  const required = [...names, ...(Array.isArray(others) ? others : [])];
  return {
    ...besides,
    type: rest["type"] ?? "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function toParameter(
  name: string,
  schema: Json,
  { root, required }: { readonly root: JsonSchema; readonly required: boolean },
): ToolParameter {
  const own = isJsonObject(schema) ? schema : {};
  const { description, default: preset } = own;
  const forms = schemaForms(schema, root).map((form) => form as JsonObject); // plain JSON
  const choices = choicesOf(forms);
  return {
    name,
    types: [...new Set(forms.flatMap(typesOf))],
    required,
    ...(typeof description === "string" ? { description } : {}),
    ...(choices === undefined ? {} : { choices }),
    ...(preset === undefined ? {} : { default: preset }),
    schema,
  };
}

function choicesOf(forms: readonly JsonObject[]): readonly Json[] | undefined {
  const lists = forms.map((form) => ("const" in form ? [form["const"] ?? null] : form["enum"]));
  return lists.length > 0 && lists.every((list): list is readonly Json[] => Array.isArray(list))
    ? lists.flat()
    : undefined;
}

function typesOf(form: JsonObject): readonly string[] {
  const { type } = form;
  if (typeof type === "string") {
    return [type];
  }
  if (Array.isArray(type)) {
    return type.filter((one) => typeof one === "string");
  }
  return (choicesOf([form]) ?? []).map((choice) =>
    choice === null ? "null" : Array.isArray(choice) ? "array" : typeof choice,
  );
}
