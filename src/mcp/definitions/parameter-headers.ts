import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { encodeHeaderValue } from "../wire/header-value.ts";

/** A parameter whose value goes into a header, too. */
export interface HeaderParameter {
  /** The names on the way from the arguments to the value. */
  readonly path: readonly string[];
  /** By its lower-case name. */
  readonly header: string;
}

/** Which parameters of a tool are mirrored, or why its schema asks for it wrongly. */
export type HeaderParameters =
  | { readonly kind: "valid"; readonly parameters: readonly HeaderParameter[] }
  | { readonly kind: "invalid"; readonly reason: string };

const keyword = "x-mcp-header";

/**
 * The parameters that a tool's schema marks with `x-mcp-header`, for servers behind HTTP whose
 * gateways read them (MCP 2026-07-28, server/tools). A mark in the wrong place or of a bad form makes
 * the tool unusable there. The schema's depth has been checked: it is gone through recursively.
 */
export function headerParametersOf(inputSchema: JsonObject): HeaderParameters {
  const parameters: HeaderParameter[] = [];
  const reason = visit(inputSchema, [], parameters);
  if (reason !== undefined) {
    return { kind: "invalid", reason };
  }
  const names = parameters.map(({ header }) => header);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined
    ? { kind: "valid", parameters }
    : { kind: "invalid", reason: `two of its parameters are to go into the header ${twice}` };
}

/** The headers that the arguments of a call make. Absent values and null make none. */
export function parameterHeaders(
  parameters: readonly HeaderParameter[],
  input: JsonObject,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const value = path.reduce<Json | undefined>(
      (inner, name) =>
        isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined,
      input,
    );
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      headers[header] = encodeHeaderValue(String(value));
    }
  }
  return headers;
}

/** Keywords whose value is an object of schemas under names of the server's choice. */
const maps = new Set(["patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose value is data. */
const data = new Set(["const", "enum", "default", "examples"]);

/** Where `path` is undefined, no instance value has a certain place, and no mark is allowed. */
function visit(
  schema: JsonObject,
  path: readonly string[] | undefined,
  found: HeaderParameter[],
): string | undefined {
  for (const [key, value] of Object.entries(schema)) {
    const fault =
      key === keyword
        ? take(value, schema, path, found)
        : data.has(key)
          ? undefined
          : visitBelow(key, value, path, found);
    if (fault !== undefined) {
      return fault;
    }
  }
  return undefined;
}

function visitBelow(
  key: string,
  value: Json | undefined,
  path: readonly string[] | undefined,
  found: HeaderParameter[],
): string | undefined {
  if (key === "properties" && isJsonObject(value)) {
    return firstFault(Object.entries(value), ([name, inner]) =>
      visitIfSchema(inner, path && [...path, name], found),
    );
  }
  const inner: readonly (Json | undefined)[] =
    Array.isArray(value) || (maps.has(key) && isJsonObject(value)) ? Object.values(value) : [value];
  return firstFault(inner, (item) => visitIfSchema(item, undefined, found));
}

const visitIfSchema = (
  value: Json | undefined,
  path: readonly string[] | undefined,
  found: HeaderParameter[],
): string | undefined => (isJsonObject(value) ? visit(value, path, found) : undefined);

function firstFault<Item>(
  items: readonly Item[],
  look: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const fault = look(item);
    if (fault !== undefined) {
      return fault;
    }
  }
  return undefined;
}

function take(
  name: Json | undefined,
  { type }: JsonObject,
  path: readonly string[] | undefined,
  found: HeaderParameter[],
): string | undefined {
  if (typeof name !== "string" || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
    return `its ${keyword} is not the name of an HTTP header`;
  }
  if (path === undefined || path.length === 0) {
    return `its ${keyword} stands where no certain parameter is`;
  }
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null");
  if (types.length === 0 || !types.every((one) => primitives.has(one))) {
    return `its ${keyword} is not at a parameter of type string, integer or boolean`;
  }
  found.push({ path, header: `mcp-param-${name.toLowerCase()}` });
  return undefined;
}

const primitives = new Set<Json | undefined>(["string", "integer", "boolean"]);
