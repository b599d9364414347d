import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** The scheme of URLs that name artifacts. */
const scheme = "artifact:";

/** How a medium whose bytes are an artifact is written, in place of its bytes: `artifact:sha256-…`. */
export const artifactUrl = (id: string): string => `${scheme}${id}`;

/** The id of the artifact that a URL names; `undefined` for any other. */
export function artifactIdOf(url: unknown): string | undefined {
  const id = typeof url === "string" && url.startsWith(scheme) ? url.slice(scheme.length) : "";
  return /^sha256-[0-9a-f]{64}$/.test(id) ? id : undefined;
}

/** What stands in a record for a value that is elsewhere. */
const keys = {
  /** The id of an artifact that is JSON. */
  json: "dragoman:artifact",
  /** The id of an artifact that is a text. */
  text: "dragoman:text",
  /** A value that only looks as if it were one of these. */
  escaped: "dragoman:value",
} as const;

/** What a value in a record stands for, where it is not simply itself. */
export type Reference =
  | { readonly kind: "json" | "text"; readonly id: string }
  | { readonly kind: "escaped"; readonly value: JsonObject };

/** What is written in place of a value that is an artifact. */
export const toReference = (kind: "json" | "text", id: string): JsonObject => ({
  [keys[kind]]: id,
});

/** Whether an object that a tool or a server gave could be taken for one of ours. */
export const looksLikeReference = (value: JsonObject): boolean => {
  const [key, more] = Object.keys(value);
  return more === undefined && key !== undefined && Object.values<string>(keys).includes(key);
};

/** What is written in place of such an object. */
export const escapeValue = (value: JsonObject): JsonObject => ({ [keys.escaped]: value });

/** @returns `undefined` where a value in a record is itself. */
export function referenceOf(value: Json): Reference | undefined {
  if (!isJsonObject(value) || !looksLikeReference(value)) {
    return undefined;
  }
  const { [keys.json]: json, [keys.text]: text, [keys.escaped]: escaped } = value;
  if (typeof json === "string") {
    return { kind: "json", id: json };
  }
  if (typeof text === "string") {
    return { kind: "text", id: text };
  }
  return isJsonObject(escaped) ? { kind: "escaped", value: escaped } : undefined;
}
