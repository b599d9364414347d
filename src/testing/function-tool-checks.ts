import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** Whether a tool may be called that. */
export const isToolName = (name: Json | undefined): name is string =>
  typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name);

/** What a strict provider would refuse in a list of tools in OpenAI's form, if anything. */
export function aboutFunctionTools(tools: Json | undefined): string | undefined {
  if (tools === undefined) {
    return undefined;
  }
  if (!Array.isArray(tools) || tools.length === 0) {
    return "tools is no list, or empty";
  }
  const names = new Set<string>();
  return tools.map((tool) => aboutTool(tool, names)).find((complaint) => complaint !== undefined);
}

function aboutTool(tool: Json, names: Set<string>): string | undefined {
  const called = isJsonObject(tool) && tool["type"] === "function" ? tool["function"] : undefined;
  const { name, parameters, strict } = isJsonObject(called) ? called : {};
  if (!isToolName(name) || names.has(name)) {
    return `the tool ${JSON.stringify(name)} has no valid name of its own`;
  }
  names.add(name);
  const complaint =
    aboutParameters(parameters) ?? (strict === true ? aboutClosed(parameters) : undefined);
  return complaint && `Invalid schema for function '${name}': ${complaint}`;
}

const refusedAtRoot = ["oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref"];

/** What would be refused in the schema of a tool's arguments, if anything. */
export function aboutParameters(parameters: Json | undefined): string | undefined {
  if (!isJsonObject(parameters) || parameters["type"] !== "object") {
    return "it is not of type object";
  }
  if (!isJsonObject(parameters["properties"])) {
    return "object schema missing properties";
  }
  const combinator = refusedAtRoot.find((keyword) => parameters[keyword] !== undefined);
  return combinator === undefined
    ? aboutSchema(parameters)
    : `it has '${combinator}' at the top level`;
}

/** Schemas at any depth: keywords that hold data are few enough to be taken for schemas here. */
function aboutSchema(schema: Json | undefined): string | undefined {
  if (Array.isArray(schema)) {
    return schema.map(aboutSchema).find((complaint) => complaint !== undefined);
  }
  if (!isJsonObject(schema)) {
    return undefined;
  }
  const { type, items } = schema;
  if (
    (type === "array" || (Array.isArray(type) && type.includes("array"))) &&
    !isJsonObject(items)
  ) {
    return "array schema missing items";
  }
  if (typeof schema["$schema"] === "string") {
    return "$schema is not permitted";
  }
  if (typeof schema["$ref"] === "string") {
    return "reference to an undefined schema"; // many servers, and templates of models, know none
  }
  return (
    aboutKeywords(schema) ??
    Object.values(schema)
      .map(aboutSchema)
      .find((complaint) => complaint !== undefined)
  );
}

/** What draft 2020-12 does not have, where the value cannot be that of a property of this name. */
function aboutKeywords(schema: JsonObject): string | undefined {
  const { type, pattern, enum: values, required, exclusiveMinimum, exclusiveMaximum } = schema;
  const types = typeof type === "string" || Array.isArray(type) ? [type].flat() : [];
  const stranger = types.find((one) => !knownTypes.includes(`${one}`));
  if (stranger !== undefined) {
    return `'${stranger}' is not valid under any of the given schemas`;
  }
  if ([exclusiveMinimum, exclusiveMaximum, required].some((flag) => typeof flag === "boolean")) {
    return "True is not of type 'number', 'array'";
  }
  if (Array.isArray(values) && values.length === 0) {
    return "[] should be non-empty";
  }
  return typeof pattern === "string" && /\(\?[=!<]|\\[pP1-9]/.test(pattern)
    ? `'${pattern}' is not a 'regex'`
    : undefined;
}

const knownTypes = ["null", "boolean", "object", "array", "number", "string", "integer"];

/** What OpenAI's strict mode would refuse besides, if anything. */
export function aboutClosed(schema: Json | undefined): string | undefined {
  if (Array.isArray(schema)) {
    return schema.map(aboutClosed).find((complaint) => complaint !== undefined);
  }
  if (!isJsonObject(schema)) {
    return undefined;
  }
  const { type, properties, required, additionalProperties, format } = schema;
  if (type === "object" && additionalProperties !== false) {
    return "'additionalProperties' is required to be supplied and to be false";
  }
  const names = Array.isArray(required) ? required : [];
  const missing = Object.keys(isJsonObject(properties) ? properties : {}).find(
    (name) => !names.includes(name),
  );
  if (missing !== undefined) {
    return `'required' is required to include every key in properties. Missing '${missing}'`;
  }
  const refused = ["minLength", "maxLength", "oneOf", "allOf", "not", "default"].find(
    (keyword) => schema[keyword] !== undefined && typeof schema[keyword] !== "object",
  );
  if (refused !== undefined || format === "uri") {
    return `'${refused ?? "format uri"}' is not permitted`;
  }
  return Object.values(schema)
    .map(aboutClosed)
    .find((complaint) => complaint !== undefined);
}
