import { didYouMean } from "../../base/closest-name.ts";
import { isJsonObject } from "../../base/json.ts";

/** Where in a configuration something is, from the outside in. */
export type ConfigPath = readonly (string | number)[];

/**
 * Something is wrong at one place of a configuration. Whoever knows where the configuration comes
 * from turns it into a `ConfigurationError`. The message never repeats a value: it may be a secret.
 */
export class ConfigFault extends Error {
  readonly path: ConfigPath;

  constructor(path: ConfigPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** An object of unknown values. */
export type Fields = { readonly [key: string]: unknown };

/** `value` as an object; `what` says in words what it is. */
export function fieldsAt(value: unknown, path: ConfigPath, what: string): Fields {
  if (!isJsonObject(value)) {
    throw new ConfigFault(path, `${what} must be an object, got ${kindOf(value)}.`);
  }
  return value;
}

/** Refuses the first key that is not allowed and says which are. */
export function refuseUnknownKeys(fields: Fields, allowed: readonly string[], at: Place): void {
  const unknown = Object.keys(fields).find((key) => !allowed.includes(key));
  if (unknown !== undefined) {
    throw new ConfigFault(
      [...at.path, unknown],
      `Unknown key "${unknown}" in ${at.what}.${didYouMean(unknown, allowed)} Allowed: ${allowed.join(", ")}.`,
    );
  }
}

/** What is looked at, and where it is. */
export interface Place {
  readonly path: ConfigPath;
  /** As in `the transport`. */
  readonly what: string;
}

/** The text under a key, or undefined where the key is absent. */
export function optionalText(fields: Fields, key: string, path: ConfigPath): string | undefined {
  return fields[key] === undefined ? undefined : textAt(fields[key], [...path, key], `"${key}"`);
}

/** The text under a key that must be there; `use` says what it is for. */
export function requiredText(fields: Fields, key: string, at: Place, use: string): string {
  if (fields[key] === undefined) {
    throw new ConfigFault(at.path, `"${key}" is missing in ${at.what}: ${use}.`);
  }
  const text = textAt(fields[key], [...at.path, key], `"${key}"`);
  if (text.trim() === "") {
    throw new ConfigFault([...at.path, key], `"${key}" is empty: ${use}.`);
  }
  return text;
}

/** The list of texts under a key. */
export function optionalTexts(
  fields: Fields,
  key: string,
  path: ConfigPath,
): readonly string[] | undefined {
  const value = fields[key];
  if (value === undefined) {
    return undefined;
  }
  if (!Array.isArray(value)) {
    throw new ConfigFault(
      [...path, key],
      `"${key}" must be a list of texts, got ${kindOf(value)}.`,
    );
  }
  return value.map((item: unknown, index) =>
    textAt(item, [...path, key, index], `"${key}"[${index}]`),
  );
}

/** The object of texts under a key. */
export function optionalTextMap(
  fields: Fields,
  key: string,
  path: ConfigPath,
): Readonly<Record<string, string>> | undefined {
  if (fields[key] === undefined) {
    return undefined;
  }
  const map = fieldsAt(fields[key], [...path, key], `"${key}"`);
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [
      name,
      textAt(value, [...path, key, name], `"${name}" in "${key}"`),
    ]),
  );
}

/** The positive whole number under a key; `unit` says of what. */
export function optionalCount(
  fields: Fields,
  key: string,
  at: { readonly path: ConfigPath; readonly unit: string },
): number | undefined {
  const value = fields[key];
  if (value === undefined) {
    return undefined;
  }
  if (typeof value !== "number" || !Number.isInteger(value) || value <= 0) {
    throw new ConfigFault(
      [...at.path, key],
      `"${key}" must be a positive whole number of ${at.unit}, got ${typeof value === "number" ? value : kindOf(value)}.`,
    );
  }
  return value;
}

/** The true or false under a key. */
export function optionalFlag(fields: Fields, key: string, path: ConfigPath): boolean | undefined {
  const value = fields[key];
  if (value !== undefined && typeof value !== "boolean") {
    throw new ConfigFault([...path, key], `"${key}" must be true or false, got ${kindOf(value)}.`);
  }
  return value;
}

/** The function under a key. `Shape` is the caller's promise: of a function no more can be checked. */
export function optionalFunction<Shape>(
  fields: Fields,
  key: string,
  path: ConfigPath,
): Shape | undefined {
  const value = fields[key];
  if (value !== undefined && typeof value !== "function") {
    throw new ConfigFault([...path, key], `"${key}" must be a function, got ${kindOf(value)}.`);
  }
  return value as Shape | undefined; // it is called as the documentation says
}

function textAt(value: unknown, path: ConfigPath, what: string): string {
  if (typeof value !== "string") {
    throw new ConfigFault(path, `${what} must be a text, got ${kindOf(value)}.`);
  }
  if (value.includes("\u0000")) {
    throw new ConfigFault(path, `${what} holds a NUL character, which no program takes.`);
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return "a list";
  }
  switch (typeof value) {
    case "string":
      return "a text";
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}
