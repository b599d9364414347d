import type { Json, JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../../base/json-schema.ts";
import { visibleText } from "../text/visible-text.ts";
import type { ResolvedLimits } from "../wire/mcp-limits.ts";

/** A server's schema as it may be shown to a model. */
export interface CleanSchema {
  readonly schema: JsonSchema;
  /** Whether a title or a description had to be changed. */
  readonly changed: boolean;
  /** Whether invisible characters were taken out of names or values. */
  readonly renamed: boolean;
  /** A name that two properties would have without their invisible characters. */
  readonly clash: string | undefined;
}

/** How a schema is cleaned. */
interface Cleaning {
  readonly longest: number;
  /** Whether names and values are cleaned, too. */
  readonly isShown: boolean;
  changed: boolean;
  clash: string | undefined;
  /** By its visible form, each name or value that had to be changed. */
  readonly originals: Map<string, string>;
}

/** What the names and values of cleaned schemas were, for arguments on their way to the server. */
const originalsBySchema = new WeakMap<JsonSchema, ReadonlyMap<string, string>>();

/**
 * The schema of a tool's arguments as a model may see it: titles and descriptions are visible and of
 * bearable length, names and values without invisible characters. {@link withOriginals} puts those back
 * into arguments. Its depth has been checked: it is gone through recursively.
 */
export function cleanInputSchema(schema: JsonObject, limits: ResolvedLimits): CleanSchema {
  return cleanSchema(schema, limits, true);
}

/** The schema of a tool's results, which models are not shown: only titles and descriptions change. */
export function cleanOutputSchema(schema: JsonObject, limits: ResolvedLimits): CleanSchema {
  return cleanSchema(schema, limits, false);
}

/**
 * Arguments with the names and values that the server's schema has, where a model was shown a visible
 * form of them. A text that is exactly such a form is taken for it wherever it stands.
 */
export function withOriginals(input: JsonObject, schema: JsonSchema): JsonObject {
  const originals = originalsBySchema.get(schema);
  return originals === undefined ? input : (restored(input, originals) as JsonObject); // an object stays one
}

function cleanSchema(schema: JsonObject, limits: ResolvedLimits, isShown: boolean): CleanSchema {
  const cleaning: Cleaning = {
    longest: limits.maxParameterDescriptionLength,
    isShown,
    changed: false,
    clash: undefined,
    originals: new Map(),
  };
  const cleaned = clean(schema, cleaning) as JsonSchema; // an object is cleaned into an object
  const { originals, changed, clash } = cleaning;
  const renamed = originals.size > 0;
  if (renamed) {
    forgetVisible(schema, originals);
    originalsBySchema.set(cleaned, originals);
  }
  return { schema: cleaned, changed, renamed, clash };
}

/** Keywords whose value is data that the server compares: never cut. */
const data = new Set(["const", "enum", "default", "examples"]);

/** The value itself where nothing in it has to be changed, else a copy. */
function clean(value: Json | undefined, cleaning: Cleaning): Json | undefined {
  if (typeof value === "string") {
    return cleaning.isShown ? cleanName(value, cleaning) : value;
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => clean(item, cleaning) ?? null);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return cleanObject(value as JsonObject, cleaning); // Array.isArray does not tell a read-only list from an object
}

function cleanObject(object: JsonObject, cleaning: Cleaning): JsonObject {
  const entries = Object.keys(object).map((key) => {
    const inner = object[key];
    const name = cleaning.isShown ? cleanName(key, cleaning) : key;
    if (name !== key && Object.hasOwn(object, name)) {
      cleaning.clash = name;
    }
    return { key, name, inner, cleaned: cleanAt(key, inner, cleaning) };
  });
  if (entries.every(({ key, name, inner, cleaned }) => key === name && inner === cleaned)) {
    return object;
  }
  if (new Set(entries.map(({ name }) => name)).size < entries.length) {
    cleaning.clash ??= entries.find(({ key, name }) => key !== name)?.name;
  }
  return Object.fromEntries(entries.map(({ name, cleaned }) => [name, cleaned]));
}

function cleanAt(key: string, inner: Json | undefined, cleaning: Cleaning): Json | undefined {
  if (typeof inner === "string" && (key === "description" || key === "title")) {
    const text = visibleText(inner).slice(0, cleaning.longest);
    cleaning.changed ||= text !== inner;
    return text;
  }
  return data.has(key) && !cleaning.isShown ? inner : clean(inner, cleaning);
}

function cleanName(text: string, { originals }: Cleaning): string {
  const visible = visibleText(text);
  if (visible !== text && !originals.has(visible)) {
    originals.set(visible, text);
  }
  return visible;
}

/** A visible form that the schema has itself stands for itself. */
function forgetVisible(value: Json | undefined, originals: Map<string, string>): void {
  if (typeof value === "string") {
    originals.delete(value);
  } else if (typeof value === "object" && value !== null) {
    if (!Array.isArray(value)) {
      for (const key of Object.keys(value)) {
        originals.delete(key);
      }
    }
    for (const inner of Object.values(value)) {
      forgetVisible(inner as Json | undefined, originals); // of JSON, like the whole
    }
  }
}

function restored(value: Json | undefined, originals: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") {
    return originals.get(value) ?? value;
  }
  if (Array.isArray(value)) {
    return value.map((item: Json) => restored(item, originals));
  }
  if (typeof value !== "object" || value === null) {
    return value ?? null;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [originals.get(key) ?? key, restored(inner, originals)]),
  );
}
