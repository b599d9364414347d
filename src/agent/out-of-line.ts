import { fromBase64, toBase64 } from "../base/base64.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import type { ArtifactLabel } from "../tool/artifact.ts";
import {
  artifactIdOf,
  artifactUrl,
  escapeValue,
  looksLikeReference,
  referenceOf,
  toReference,
} from "./artifact-reference.ts";

/** From this length on of its JSON, in UTF-16 units, a value is kept as an artifact. */
export const largeFrom = 262_144;

/** From this length on of their base64, the bytes of a medium are. */
export const largeMediaFrom = 16_384;

/** Keeps bytes as an artifact. @returns its id; `undefined` where they are to stay where they are. */
export type KeepBytes = (
  bytes: Uint8Array<ArrayBuffer>,
  label: ArtifactLabel,
) => Promise<string | undefined>;

/** The bytes of an artifact; `undefined` where it is not there. */
export type ReadBytes = (id: string) => Promise<Uint8Array | undefined>;

/** How values are taken out of line. */
export interface OutOfLine {
  readonly keepMedia: KeepBytes;
  /** Keeps long texts and other values. `undefined`: only media go, and nothing but media is put back. */
  readonly keepValue: KeepBytes | undefined;
}

/** A value and about how long its JSON is. */
type Sized = readonly [Json, number];

/**
 * A value with references in place of what is large: the bytes of media, long texts, and whatever else
 * is long, in as small parts as are. Equal parts of different values are one artifact.
 *
 * @throws what `keepMedia` and `keepValue` throw.
 */
export async function takeOut(value: Json, how: OutOfLine): Promise<Json> {
  return isSmall(value, how) ? value : (await taken(value, how, {}))[0];
}

/** Whether a value stays as it is. Most do, and are not gone through one by one. */
const isSmall = (value: Json, { keepValue }: OutOfLine): boolean =>
  lengthOf(value) < largeMediaFrom && !(keepValue !== undefined && holdsLookAlike(value));

/** Whether something in a value could be taken for a reference, so that it must be written by {@link takeOut}. */
export const holdsLookAlike = (value: Json): boolean => holds(value, looksLikeReference);

async function taken(value: Json, how: OutOfLine, around: JsonObject): Promise<Sized> {
  if (typeof value === "string") {
    return takeText(value, how);
  }
  if (Array.isArray(value)) {
    const parts: Sized[] = [];
    for (const part of value) {
      parts.push(isSmall(part, how) ? [part, lengthOf(part)] : await taken(part, how, {}));
    }
    return takeWhole([parts.map(([part]) => part), 2 + sum(parts)], how);
  }
  return isJsonObject(value) ? takeObject(value, how, around) : [value, 4];
}

async function takeObject(value: JsonObject, how: OutOfLine, around: JsonObject): Promise<Sized> {
  const medium = await takeMedium(value, how, around);
  if (medium !== undefined) {
    return medium;
  }
  const entries: (readonly [string, Json])[] = [];
  let length = 2;
  for (const [name, part] of Object.entries(value)) {
    if (part !== undefined) {
      const isKept = isSmall(part, how);
      const [kept, size] = isKept ? [part, lengthOf(part)] : await taken(part, how, value);
      entries.push([name, kept]);
      length += name.length + 4 + size;
    }
  }
  const whole: JsonObject = Object.fromEntries(entries);
  const isOdd = how.keepValue !== undefined && looksLikeReference(value);
  return takeWhole([isOdd ? escapeValue(whole) : whole, length], how);
}

/** The bytes of a part of a message, or of an artifact that a tool gave. */
async function takeMedium(
  value: JsonObject,
  { keepMedia }: OutOfLine,
  around: JsonObject,
): Promise<Sized | undefined> {
  const { kind, base64 } = value;
  const isMedium = kind === "data" || kind === "inline";
  if (!isMedium || typeof base64 !== "string" || base64.length < largeMediaFrom) {
    return undefined;
  }
  const bytes = fromBase64(base64);
  const { mediaType, name } = kind === "data" ? around : value;
  // Only what gives the very same text again.
  if (bytes === undefined || typeof mediaType !== "string" || toBase64(bytes) !== base64) {
    return undefined;
  }
  const id = await keepMedia(bytes, { mediaType, ...(typeof name === "string" ? { name } : {}) });
  if (id === undefined) {
    return undefined;
  }
  const url = artifactUrl(id);
  return [kind === "data" ? { kind: "url", url } : { ...value, base64: url }, 200];
}

async function takeText(value: string, how: OutOfLine): Promise<Sized> {
  const whole: Sized = [value, value.length + 2];
  if (how.keepValue === undefined || value.length < largeFrom) {
    return whole;
  }
  if (!value.isWellFormed()) {
    return takeWhole(whole, how); // JSON can say it, UTF-8 cannot
  }
  const bytes = new TextEncoder().encode(value);
  const keeping: Promise<string | undefined> = how.keepValue(bytes, { mediaType: "text/plain" });
  const id = await keeping;
  return id === undefined ? whole : [toReference("text", id), 100];
}

async function takeWhole([value, length]: Sized, { keepValue }: OutOfLine): Promise<Sized> {
  if (keepValue === undefined || length < largeFrom) {
    return [value, length];
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const keeping: Promise<string | undefined> = keepValue(bytes, { mediaType: "application/json" });
  const id = await keeping;
  return id === undefined ? [value, length] : [toReference("json", id), 100];
}

const sum = (parts: readonly Sized[]): number =>
  parts.reduce((all, [, length]) => all + length + 1, 0);

/** About how long the JSON of a value is: escapes do not count. */
function lengthOf(value: Json | undefined): number {
  if (typeof value === "string") {
    return value.length + 2;
  }
  let length = 4;
  if (Array.isArray(value)) {
    for (const part of value) {
      length += lengthOf(part) + 1;
    }
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      length += name.length + 4 + lengthOf(value[name]);
    }
  }
  return length;
}

/** Whether it is, or has somewhere in it, such an object. */
function holds(value: Json | undefined, isWanted: (object: JsonObject) => boolean): boolean {
  if (Array.isArray(value)) {
    return value.some((part) => holds(part, isWanted));
  }
  return (
    isJsonObject(value) &&
    (isWanted(value) || Object.keys(value).some((name) => holds(value[name], isWanted)))
  );
}

/** How values are put back. */
export interface BackInLine {
  readonly read: ReadBytes;
  /** What stands for an artifact that is not there. May throw instead. */
  missing(id: string, inPlace: JsonObject): Json;
  /** Whether texts and other values were taken out, too. */
  readonly all: boolean;
}

/** What {@link takeOut} was given. @throws what `read` and `missing` throw. */
export async function putBack(value: Json, how: BackInLine): Promise<Json> {
  return isWhole(value) ? value : putBackParts(value, how);
}

/** Whether nothing is taken out of it. Most values are, and are not gone through one by one. */
const isWhole = (value: Json): boolean =>
  !holds(value, (object) => looksLikeReference(object) || mediumOf(object) !== undefined);

async function putBackParts(value: Json, how: BackInLine): Promise<Json> {
  if (Array.isArray(value)) {
    const parts: Json[] = [];
    for (const part of value) {
      parts.push(isWhole(part) ? part : await putBackParts(part, how));
    }
    return parts;
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const reference = how.all ? referenceOf(value) : undefined;
  switch (reference?.kind) {
    case "escaped":
      return putBackEach(reference.value, how);
    case "json":
    case "text":
      return putBackValue(value, reference, how);
    case undefined:
      return putBackMedium(value, how);
  }
}

async function putBackValue(
  inPlace: JsonObject,
  { kind, id }: { readonly kind: "json" | "text"; readonly id: string },
  how: BackInLine,
): Promise<Json> {
  const bytes = await how.read(id);
  const text = bytes && new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const value = text === undefined || kind === "text" ? text : parseJson(text);
  if (value === undefined) {
    return how.missing(id, inPlace);
  }
  return kind === "text" ? value : putBack(value, how);
}

/** The id of the artifact that stands in place of a medium's bytes. */
function mediumOf({ kind, url, base64 }: JsonObject): string | undefined {
  return artifactIdOf(kind === "url" ? url : kind === "inline" ? base64 : undefined);
}

async function putBackMedium(value: JsonObject, how: BackInLine): Promise<Json> {
  const id = mediumOf(value);
  if (id === undefined) {
    return putBackEach(value, how);
  }
  const bytes = await how.read(id);
  if (bytes === undefined) {
    return how.missing(id, value);
  }
  const base64 = toBase64(bytes);
  return value["kind"] === "url" ? { kind: "data", base64 } : { ...value, base64 };
}

async function putBackEach(value: JsonObject, how: BackInLine): Promise<JsonObject> {
  const entries: (readonly [string, Json])[] = [];
  for (const [name, part] of Object.entries(value)) {
    if (part !== undefined) {
      entries.push([name, isWhole(part) ? part : await putBackParts(part, how)]);
    }
  }
  return Object.fromEntries(entries);
}
