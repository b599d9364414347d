import type { JsonObject } from "../../base/json.ts";
import { fitsShape, keywordShapes } from "../../base/json-schema/shapes.ts";

/**
 * The schema with keywords as draft 2020-12 has them, which providers check before anything else: for
 * one tool that is written otherwise they refuse the whole request. Only the schema itself is looked
 * at, not those inside of it.
 *
 * - `exclusiveMinimum: true` of draft 4 becomes the number; the types of other languages' schemas are
 *   written small; empty or repeated entries of `type`, `enum`, `required` and combinators are left out.
 * - A pattern that not every engine reads (look-around, classes of Unicode, references back) and
 *   keywords whose value is none (`type: "any"`, `required: true`) stand in the description instead.
 */
export function toSoundSchema(schema: JsonObject): JsonObject {
  const notes: string[] = [];
  const mended = { ...schema, ...boundsOf(schema) };
  const entries = Object.entries(mended).flatMap(([keyword, value]) => {
    const sound = soundValue(keyword, value);
    if (sound === undefined && keyword === "description" && value !== undefined) {
      return []; // nothing that a description could repeat
    }
    if (sound === undefined && isWorthNoting(keyword, value)) {
      notes.push(`${keyword}: ${JSON.stringify(value)}`);
    }
    return sound === undefined ? [] : [[keyword, sound] as const];
  });
  const isSame =
    entries.length === Object.keys(schema).length &&
    entries.every(([keyword, value]) => schema[keyword] === value);
  // What is left of a JSON object is one.
  return isSame ? schema : withNotes(Object.fromEntries(entries) as JsonObject, notes);
}

function withNotes(schema: JsonObject, notes: readonly string[]): JsonObject {
  if (notes.length === 0) {
    return schema;
  }
  const { description } = schema;
  const words = [...(description === undefined ? [] : [description]), `(${notes.join(", ")})`];
  return { ...schema, description: words.join(" ") };
}

/** Limits of draft 4, where a flag says that the limit itself does not count. */
const boundsOf = (schema: JsonObject): JsonObject => ({
  ...boundOf(schema, "minimum", "exclusiveMinimum"),
  ...boundOf(schema, "maximum", "exclusiveMaximum"),
});

function boundOf(schema: JsonObject, limit: string, flag: string): JsonObject {
  if (typeof schema[flag] !== "boolean") {
    return {};
  }
  return schema[flag] && typeof schema[limit] === "number"
    ? { [limit]: undefined, [flag]: schema[limit] }
    : { [flag]: undefined };
}

/** Keywords that assert nothing, with what they hold. */
const annotations: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    title: (value: unknown) => typeof value === "string",
    description: (value: unknown) => typeof value === "string",
    $comment: (value: unknown) => typeof value === "string",
    examples: Array.isArray,
    deprecated: (value: unknown) => typeof value === "boolean",
    readOnly: (value: unknown) => typeof value === "boolean",
    writeOnly: (value: unknown) => typeof value === "boolean",
  }),
);

const combinators = new Set(["anyOf", "oneOf", "allOf"]);

/** Keywords that hold schemas: what is none among them becomes an open one when it is converted. */
const maps = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** The value as it may be written, itself where nothing is wrong; `undefined` where there is none. */
function soundValue(keyword: string, value: unknown): unknown {
  const annotated = annotations.get(keyword);
  if (annotated !== undefined) {
    return annotated(value) ? value : undefined;
  }
  switch (keyword) {
    case "type":
      return soundType(value);
    case "required":
      return soundList(value, (name) => typeof name === "string", 0);
    case "enum":
      return soundList(value, () => true, 1);
    case "pattern":
      return typeof value === "string" && isPortable(value) ? value : undefined;
    default:
      break;
  }
  if (combinators.has(keyword)) {
    return soundList(value, () => true, 1);
  }
  if (maps.has(keyword)) {
    return typeof value === "object" && !Array.isArray(value) ? (value ?? undefined) : undefined;
  }
  const shape = keywordShapes.get(keyword);
  return shape === undefined || fitsShape(shape, value) ? value : undefined;
}

function soundList(
  value: unknown,
  isItem: (item: unknown) => boolean,
  fewest: number,
): readonly unknown[] | undefined {
  if (!Array.isArray(value)) {
    return undefined;
  }
  const items = [...new Set(value.filter(isItem))];
  if (items.length < fewest) {
    return undefined;
  }
  return items.length === value.length ? value : items;
}

function soundType(value: unknown): unknown {
  if (!Array.isArray(value)) {
    const small = typeof value === "string" ? value.toLowerCase() : value;
    return fitsShape("type", small) ? small : undefined;
  }
  const types = value.map(soundType);
  // A type that is not understood may be anything.
  const isSame = types.every((type, index) => type === value[index]);
  return types.includes(undefined) ? undefined : soundList(isSame ? value : types, () => true, 1);
}

/** Whether engines of other languages, and those that run in linear time, read the pattern as well. */
function isPortable(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\[dDwWsSbBnrtfv]|\\x[0-9a-fA-F]{2}|\\[^A-Za-z0-9]/g, "_");
  // An unescaped "[" in a class stands for itself in some engines only.
  const withoutClasses = plain.replaceAll(/\[[^[\]]*\]/g, "_");
  return (
    !plain.includes("\\") &&
    !/[[\]]|\(\?(?!:)|[*+?}]\+|\{\d*,?\d{4,}/.test(withoutClasses) &&
    compiles(pattern)
  );
}

function compiles(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern));
  } catch {
    return false;
  }
}

/** The longest value of a keyword that a description repeats. */
const longestNote = 200;

/** What of a keyword's value a model can make something of. */
const isWorthNoting = (keyword: string, value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  typeof value !== "boolean" &&
  !annotations.has(keyword) &&
  !(typeof value === "object" && Object.keys(value).length === 0) &&
  JSON.stringify(value).length <= longestNote;
