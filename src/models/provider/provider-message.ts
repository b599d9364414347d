import { isJsonObject, type Json, type JsonObject, parseJson } from "../../base/json.ts";

/** The longest message of a provider that is repeated, in bytes of UTF-8. */
const mostBytes = 1_500;

/**
 * What a provider's error body says, on one line and cut short, with every secret taken out; empty
 * where it says nothing.
 */
export function providerMessage(body: string, secrets: readonly string[]): string {
  const json = parseJson(body);
  const text = json === undefined ? plainText(body) : messageIn(json);
  return shorten(redact(text, secrets).replace(controlsAndSpace, " ").trim());
}

/** The `error` object or text of a body, or the body itself where that is the error. */
export function errorIn(body: Json | undefined): Json | undefined {
  // Google wraps the body in an array.
  const whole = Array.isArray(body) ? body[0] : body;
  return isJsonObject(whole) ? (whole["error"] ?? whole) : whole;
}

/**
 * The same text without the secrets, in the forms in which a server may repeat them: as they are,
 * percent-encoded, or in JSON in JSON. Secrets of less than four characters are left: they hide nothing.
 */
function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= 4)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .toSorted((left, right) => right.length - left.length)
    .reduce((safe, secret) => safe.replace(withEscapes(secret), "[redacted]"), text);
}

/** Each character may have been escaped any number of times. */
const withEscapes = (secret: string): RegExp =>
  new RegExp(
    [...secret].map((character) => character.replace(/[$()*+./?[\\\]^{|}]/, "\\$&")).join("\\\\*"),
    "gu",
  );

/** Line breaks, and what moves a terminal's cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controlsAndSpace = /[\s\u0000-\u001f\u007f-\u009f]+/g;

function messageIn(json: Json): string {
  const error = errorIn(json);
  if (!isJsonObject(error)) {
    return typeof error === "string" ? error : JSON.stringify(error ?? json);
  }
  const message = firstText(error, ["message", "detail", "error_description", "title", "msg"]);
  const upstream = isJsonObject(error["metadata"]) ? error["metadata"]["raw"] : undefined;
  const text = message ?? JSON.stringify(error);
  return typeof upstream === "string" ? `${text}: ${upstream}` : text;
}

function firstText(error: JsonObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = error[field];
    if (typeof value === "string" && value !== "") {
      return value;
    }
    if (Array.isArray(value) || isJsonObject(value)) {
      return JSON.stringify(value); // FastAPI lists what is wrong with each field
    }
  }
  return undefined;
}

/** A page of HTML as its words; other text as it is. */
function plainText(body: string): string {
  return /<(?:!doctype|html|head|body)\b/i.test(body.slice(0, 1_000))
    ? body
        .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ")
        .replace(/<!--[\s\S]*?-->|<[^>]*>/g, " ")
    : body;
}

function shorten(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(mostBytes));
  return read < text.length ? `${text.slice(0, read)}…` : text;
}
