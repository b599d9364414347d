import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";

/** Arguments to begin with: what a tool's schema requires, with the values that it names where it does. */
export function exampleArguments(schema: JsonSchema): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) {
    return {};
  }
  return Object.fromEntries(
    required
      .filter((name): name is string => typeof name === "string")
      .map((name) => [name, exampleOf(properties[name])]),
  );
}

function exampleOf(schema: Json | undefined): Json {
  if (!isJsonObject(schema)) {
    return "…";
  }
  const { default: usual, const: only, enum: values, examples, type } = schema;
  const given = [only, usual, firstOf(examples), firstOf(values)].find(
    (value) => value !== undefined,
  );
  return given ?? byType[String(firstOf(type) ?? type)] ?? "…";
}

const firstOf = (value: Json | undefined): Json | undefined =>
  Array.isArray(value) ? (value[0] as Json | undefined) : undefined; // a list of JSON

const byType: Readonly<Record<string, Json>> = {
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};
