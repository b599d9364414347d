import { isJsonObject, type JsonObject } from "./json.ts";

/**
 * A schema for what both schemas allow, as far as one can say it: properties and required names of
 * both; of any other keyword that both have, the right one's. It may allow more, never less.
 */
export const joinSchemas = (left: JsonObject, right: JsonObject): JsonObject => ({
  ...left,
  ...right,
  ...joinKeyword(left, right, "properties", (one, other) => ({
    ...objectOf(one),
    ...objectOf(other),
  })),
  ...joinKeyword(left, right, "required", (one, other) => [
    ...new Set([...listOf(one), ...listOf(other)]),
  ]),
});

const joinKeyword = (
  left: JsonObject,
  right: JsonObject,
  keyword: string,
  join: (one: unknown, other: unknown) => unknown,
): object =>
  left[keyword] === undefined || right[keyword] === undefined
    ? {}
    : { [keyword]: join(left[keyword], right[keyword]) };

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
