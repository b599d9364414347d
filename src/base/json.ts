import { ConfigurationError, messageOf } from "./dragoman-error.ts";

/** Any JSON value. What crosses a wire, a journal or a step is of this type. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; an `undefined` property counts as absent, as in `JSON.stringify`. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** Whether `value` is an object that is neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The JSON form of any value, as `JSON.stringify` sees it: dates become ISO strings, `undefined`
 * becomes `null`. Beyond that, a `bigint` becomes its decimal digits, a `Map` an object, a `Set` a
 * list, and an error its name and message.
 *
 * @throws ConfigurationError `invalid-definition` when the value cannot be written (a cycle, say).
 */
export function toJson(value: unknown): Json {
  try {
    const text = JSON.stringify(value, (_key, inner: unknown) => plain(inner));
    return text === undefined ? null : JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError(
      `This value cannot be written as JSON (${messageOf(cause)}). Return plain data: objects, arrays, strings, numbers.`,
      { code: "invalid-definition", cause },
    );
  }
}

function plain(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return value.toString();
    case "function":
    case "symbol":
      throw new TypeError(`a ${typeof value} is no data`);
    default:
      return value instanceof Map
        ? Object.fromEntries(value)
        : value instanceof Set
          ? [...value]
          : value instanceof Error
            ? { name: value.name, message: messageOf(value) }
            : value;
  }
}

/** Parses JSON text; `undefined` where it is not JSON (JSON itself has no `undefined`). */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether objects and lists stand more than `depth` deep in each other. It looks no deeper than that. */
export function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}
