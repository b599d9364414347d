import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { wordsOf } from "../../base/words.ts";
import type { ToolDefinition } from "../../model/model.ts";

/** What kind of thing a text parameter is for, told by its name, format and description. */
export type Role =
  | "path"
  | "url"
  | "email"
  | "date"
  | "pattern"
  | "query"
  | "kind"
  | "place"
  | "text"
  | "name"
  | "other";

/** A single value that a tool takes, at any depth of its input. */
export interface Parameter {
  /** Property names from the top; `[]` stands for the item of an array of objects. */
  readonly path: readonly string[];
  readonly type: "string" | "number" | "boolean" | "json";
  readonly role: Role;
  /** An array of such values. */
  readonly many: boolean;
  readonly required: boolean;
  /** Words that announce its value in a message, with their strength from 0 to 1. */
  readonly labels: ReadonlyMap<string, number>;
  /** The words of its description. */
  readonly about: ReadonlySet<string>;
  /** The values of its `enum`; empty where anything goes. */
  readonly choices: readonly Json[];
  /** What the schema itself gives: `const` or `default`. */
  readonly fallback: Json | undefined;
  /** Of a pair, the first (`source`, `from`, `old`) or the second (`destination`, `to`, `new`). */
  readonly order: "first" | "second" | undefined;
}

/** All parameters of a tool, in the order of its schema. */
export function parametersOf(tool: ToolDefinition): readonly Parameter[] {
  const known = cache.get(tool);
  if (known !== undefined) {
    return known;
  }
  // A schema came over a wire or was written as JSON.
  const root = tool.inputSchema as JsonObject;
  const scope: Scope = { root, tool, path: [], required: true, parents: [] };
  const parameters = walk(root, scope, 0);
  cache.set(tool, parameters);
  return parameters;
}

const cache = new WeakMap<ToolDefinition, readonly Parameter[]>();

/** Where in a schema a property stands. */
interface Scope {
  readonly root: Json;
  readonly tool: ToolDefinition;
  readonly path: readonly string[];
  readonly required: boolean;
  /** The words of the array whose items these are. */
  readonly parents: readonly string[];
}

const deepest = 4;

function walk(schema: JsonObject, scope: Scope, depth: number): readonly Parameter[] {
  const properties = schema["properties"];
  if (!isJsonObject(properties) || depth > deepest) {
    return [];
  }
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).flatMap(([name, given]) => {
    const inner: Scope = {
      ...scope,
      path: [...scope.path, name],
      required: scope.required && required.includes(name),
    };
    return readProperty(resolve(given, scope.root), inner, depth);
  });
}

function readProperty(schema: JsonObject, scope: Scope, depth: number): readonly Parameter[] {
  const type = typeOf(schema);
  if (type === "object" && isJsonObject(schema["properties"])) {
    return walk(schema, { ...scope, parents: wordsOf(scope.path.at(-1) ?? "") }, depth + 1);
  }
  if (type === "array") {
    const items = resolve(schema["items"], scope.root);
    if (typeOf(items) === "object" && isJsonObject(items["properties"])) {
      const parents = wordsOf(scope.path.at(-1) ?? "");
      return walk(items, { ...scope, path: [...scope.path, "[]"], parents }, depth + 1);
    }
    return [toParameter(items, { ...scope }, schema, true)];
  }
  return [toParameter(schema, scope, schema, false)];
}

/** A schema with its `$ref` followed and the first variant that is not `null` taken. */
function resolve(given: Json | undefined, root: Json, depth = 0): JsonObject {
  if (!isJsonObject(given) || depth > deepest) {
    return {};
  }
  const reference = given["$ref"];
  if (typeof reference === "string" && reference.startsWith("#/")) {
    const keys = reference.slice(2).split("/");
    const target = keys.reduce<Json | undefined>(
      (value, key) => (isJsonObject(value) ? value[key] : undefined),
      root,
    );
    return resolve(target, root, depth + 1);
  }
  const variants = [given["anyOf"], given["oneOf"], given["allOf"]].find(Array.isArray);
  const first = variants?.find((variant) => isJsonObject(variant) && variant["type"] !== "null");
  return first === undefined ? given : { ...given, ...resolve(first, root, depth + 1) };
}

function typeOf(schema: JsonObject): string {
  const type = schema["type"];
  const first = Array.isArray(type) ? type.find((name) => name !== "null") : type;
  const told = schema["enum"] ?? [schema["const"]];
  const sample = Array.isArray(told) ? told[0] : undefined;
  return typeof first === "string" ? first : sample === undefined ? "string" : typeof sample;
}

function toParameter(
  schema: JsonObject,
  scope: Scope,
  outer: JsonObject,
  many: boolean,
): Parameter {
  const name = scope.path.at(-1) ?? "";
  const told = typeOf(schema);
  const type = told === "integer" || told === "number" ? "number" : told;
  const description = [outer, schema].map(({ description }) => description).find(isText) ?? "";
  const words = wordsOf(name);
  const role = roleOf(words, schema, scope.tool);
  const choices = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return {
    path: scope.path,
    type: type === "string" || type === "number" || type === "boolean" ? type : "json",
    role,
    many,
    required: scope.required,
    labels: labelsOf(words, role, scope),
    about: new Set(wordsOf(description)),
    choices: choices.filter((choice) => choice !== null),
    fallback: outer["const"] ?? outer["default"],
    order: words.some((word) => firsts.has(word))
      ? "first"
      : words.some((word) => seconds.has(word))
        ? "second"
        : undefined,
  };
}

const isText = (value: Json | undefined): value is string => typeof value === "string";

const stems = (line: string): ReadonlySet<string> => new Set(wordsOf(line));

const firsts = stems("old from source src origin first a x start left search find");
const seconds = stems(
  "new to destination dst dest target second b y end right replace replacement",
);

/** Names by role; the first role that has one of the words wins, the last word of a name first. */
const roleWords: readonly (readonly [Role, ReadonlySet<string>])[] = [
  ["pattern", stems("pattern glob regex mask exclude")],
  ["path", stems("path file filename filepath directory dir folder cwd paths")],
  ["url", stems("url uri href link website endpoint")],
  ["email", stems("email recipient")],
  ["date", stems("date day since until deadline birthday")],
  ["query", stems("query q search keyword term topic question prompt subject find")],
  ["kind", stems("type kind category sort order mode format status level language")],
  ["place", stems("location city place country region town")],
  [
    "text",
    stems(
      "text message content contents body data input note comment description string observation value",
    ),
  ],
  ["name", stems("name title id label user owner author person entity node tag key from to")],
];

const ends = stems("source destination src dst dest target origin");
const filing = stems("file directory folder path");
const kinds = stems("type kind");
const phrases = stems("word phrase sentence");

function roleOf(words: readonly string[], schema: JsonObject, tool: ToolDefinition): Role {
  const format = schema["format"];
  if (format === "uri" || format === "email" || format === "date" || format === "date-time") {
    return format === "uri" ? "url" : format === "email" ? "email" : "date";
  }
  if (words.some((word) => ends.has(word))) {
    return wordsOf(tool.name).some((word) => filing.has(word)) ? "path" : "name";
  }
  for (const word of words.toReversed()) {
    const [role] = roleWords.find(([, known]) => known.has(word)) ?? [];
    if (role !== undefined) {
      return role;
    }
  }
  return "other";
}

/** Heads that say nothing by themselves: `entityName` is announced by `entity`. */
const bareHeads = stems("name text content contents path file string value id title list names");

function labelsOf(
  words: readonly string[],
  role: Role,
  { tool, parents }: Scope,
): ReadonlyMap<string, number> {
  const labels = new Map<string, number>();
  const label = (announcing: Iterable<string>, strength: number): void => {
    for (const word of announcing) {
      labels.set(word, Math.max(labels.get(word) ?? 0, strength));
    }
  };
  const head = words.at(-1) ?? "";
  const modifiers = words.slice(0, -1);
  label([head], 1);
  label(modifiers, bareHeads.has(head) ? 0.9 : 0.4);
  if (words.every((word) => bareHeads.has(word))) {
    label(parents, 0.9);
  }
  if (role === "path" || role === "pattern") {
    label(filing, 0.7);
  }
  if (role === "name" && words.every((word) => bareHeads.has(word) || filing.has(word))) {
    label(wordsOf(tool.name).slice(1), 0.6);
  }
  if (role === "text") {
    label(phrases, 0.7);
  }
  if (role === "kind") {
    label(kinds, 0.6);
  }
  return labels;
}
