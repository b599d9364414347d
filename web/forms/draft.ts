import type { Json, JsonObject } from "../../src/base/json.ts";
import type { SchemaField } from "./schema-field.ts";

/**
 * What a person has put into a field so far: a text as it was typed, a mark, the index of a choice as
 * text, entries of a list, fields of a group.
 */
export type Draft = string | boolean | readonly Draft[] | { readonly [name: string]: Draft };

/** What a group of fields holds. */
export type Drafts = { readonly [name: string]: Draft };

/** The drafts that a form begins with, by what the schema gives as defaults. */
export function firstDrafts(fields: readonly SchemaField[]): Drafts {
  return Object.fromEntries(fields.map((field) => [field.name, toDraft(field, field.initial)]));
}

/** A value as a field shows it. */
export function toDraft(field: SchemaField, value: Json | undefined): Draft {
  switch (field.kind) {
    case "boolean":
      return value === true;
    case "choice":
      return indexIn(field, value);
    case "choices":
      return Array.isArray(value) ? value.map((one) => indexIn(field, one)) : [];
    case "list":
      return Array.isArray(value) ? value.map((one) => toDraft(field.entry, one)) : [];
    case "group": {
      const known = isObject(value) ? value : {};
      return Object.fromEntries(
        field.fields.map((one) => [one.name, toDraft(one, known[one.name] ?? one.initial)]),
      );
    }
    case "json":
      return value === undefined ? "" : JSON.stringify(value, null, 2);
    default:
      return value === undefined || value === null ? "" : String(value);
  }
}

/** An object that was written, and what is wrong with it, by the path of the field. */
export interface Written {
  readonly value: JsonObject;
  readonly faults: Readonly<Record<string, string>>;
}

/** What the drafts of a form say. Fields that are empty and need not be filled are left out. */
export function fromDrafts(fields: readonly SchemaField[], drafts: Drafts, path = ""): Written {
  const value: Record<string, Json> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const at = path === "" ? field.name : `${path}.${field.name}`;
    const read = readDraft(field, drafts[field.name], at);
    Object.assign(faults, read.faults);
    if (read.value !== undefined) {
      value[field.name] = read.value;
    }
  }
  return { value, faults };
}

interface Read {
  readonly value?: Json;
  readonly faults: Readonly<Record<string, string>>;
}

function readDraft(field: SchemaField, draft: Draft | undefined, path: string): Read {
  switch (field.kind) {
    case "boolean":
      return draft === true || field.isRequired || field.initial !== undefined
        ? { value: draft === true, faults: {} }
        : { faults: {} };
    case "list":
      return readList(field, Array.isArray(draft) ? draft : [], path);
    case "choices": {
      const chosen = Array.isArray(draft) ? draft : [];
      const values = chosen.map((index) => field.choices[Number(index)]?.value ?? null);
      return values.length > 0 || field.isRequired ? { value: values, faults: {} } : { faults: {} };
    }
    case "group":
      return readGroup(field, draft, path);
    default:
      return readText(field, typeof draft === "string" ? draft : "", path);
  }
}

type TextLike = Exclude<SchemaField, { readonly kind: "boolean" | "list" | "choices" | "group" }>;

function readText(field: TextLike, text: string, path: string): Read {
  if (text === "") {
    // An empty text that is meant can be written as JSON.
    return { faults: field.isRequired ? { [path]: "This is needed." } : {} };
  }
  switch (field.kind) {
    case "text":
      return { value: text, faults: {} };
    case "choice":
      return { value: field.choices[Number(text)]?.value ?? null, faults: {} };
    case "number":
      return readNumber(field, text, path);
    case "json":
      try {
        return { value: JSON.parse(text) as Json, faults: {} }; // what JSON.parse gives
      } catch (thrown) {
        return { faults: { [path]: `This is not JSON: ${(thrown as Error).message}` } }; // a SyntaxError
      }
  }
}

function readNumber(
  { isWhole, minimum, maximum }: Extract<SchemaField, { readonly kind: "number" }>,
  text: string,
  path: string,
): Read {
  const value = Number(text);
  const fault = !Number.isFinite(value)
    ? "This is not a number."
    : isWhole && !Number.isInteger(value)
      ? "This must be a whole number."
      : minimum !== undefined && value < minimum
        ? `This must be ${minimum} or more.`
        : maximum !== undefined && value > maximum
          ? `This must be ${maximum} or less.`
          : undefined;
  return fault === undefined ? { value, faults: {} } : { faults: { [path]: fault } };
}

function readList(
  { entry, isRequired }: Extract<SchemaField, { readonly kind: "list" }>,
  drafts: readonly Draft[],
  path: string,
): Read {
  const read = drafts.map((draft, index) => readDraft(entry, draft, `${path}[${index}]`));
  const faults = Object.assign({}, ...read.map((one) => one.faults)) as Read["faults"]; // of theirs
  const values = read.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return values.length > 0 || isRequired ? { value: values, faults } : { faults };
}

function readGroup(
  { fields, isRequired }: Extract<SchemaField, { readonly kind: "group" }>,
  draft: Draft | undefined,
  path: string,
): Read {
  const written = fromDrafts(fields, isDrafts(draft) ? draft : {}, path);
  const isEmpty = Object.keys(written.value).length === 0;
  // A group that nobody has touched is left out, whatever its fields would need.
  return isEmpty && !isRequired ? { faults: {} } : written;
}

const isDrafts = (draft: Draft | undefined): draft is Drafts =>
  typeof draft === "object" && !Array.isArray(draft);

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function indexIn(
  { choices }: Extract<SchemaField, { readonly kind: "choice" | "choices" }>,
  value: Json | undefined,
): string {
  const wanted = JSON.stringify(value);
  const index = choices.findIndex((choice) => JSON.stringify(choice.value) === wanted);
  return index < 0 ? "" : String(index);
}
