import { fromBase64, toBase64 } from "../../base/base64.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { isMediaType, isTextType } from "../../base/media-type.ts";
import type { MediaPart, ResultContent } from "../../message/content.ts";
import type { DeferredArtifact } from "../../tool/artifact.ts";
import { hideValues } from "../secrets/hide-values.ts";
import { secretsIn } from "../secrets/secret-arguments.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";

/** What one block of a server's result comes to. */
export type BlockContent =
  | {
      readonly kind: "part";
      readonly part: ResultContent;
      /** The text of a file that holds one. */
      readonly text?: string;
    }
  | { readonly kind: "link"; readonly artifact: DeferredArtifact };

/** One block of a result; what is malformed or unknown becomes a note. It never throws. */
export function toBlockContent(block: Json, server: string): BlockContent {
  const type = isJsonObject(block) ? block["type"] : undefined;
  if (!isJsonObject(block)) {
    return note("a malformed block");
  }
  switch (type) {
    case "text":
      return typeof block["text"] === "string"
        ? text(visibleText(block["text"]))
        : note("a malformed text");
    case "image":
    case "audio":
      return media(type, block, block["data"]) ?? note(`a malformed ${type}`);
    case "resource":
      return resource(block["resource"]);
    case "resource_link":
      return link(block, server);
    default:
      return note(`a block of the type ${JSON.stringify(shown(type))}, which cannot be shown`);
  }
}

/** Words for the model on what is not there. */
export const noteOf = (what: string): ResultContent => ({
  kind: "text",
  text: `[The tool returned ${what}.]`,
});

const note = (what: string): BlockContent => ({ kind: "part", part: noteOf(what) });

const text = (words: string): BlockContent => ({
  kind: "part",
  part: { kind: "text", text: words },
});

const shown = (value: Json | undefined): string =>
  typeof value === "string" ? visibleLine(value, 200) : "unknown";

function media(
  kind: MediaPart["kind"],
  { mimeType }: JsonObject,
  base64: Json | undefined,
  name?: string,
): BlockContent | undefined {
  const mediaType = mimeType ?? (kind === "file" ? "application/octet-stream" : undefined);
  const compact = typeof base64 === "string" ? base64.replace(/\s+/g, "") : undefined;
  if (compact === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    return undefined;
  }
  return isMediaType(mediaType)
    ? { kind: "part", part: file(kind, mediaType, compact, name) }
    : undefined;
}

const file = (
  kind: MediaPart["kind"],
  mediaType: string,
  base64: string,
  name: string | undefined,
): MediaPart => ({
  kind,
  mediaType,
  source: { kind: "data", base64 },
  ...(name === undefined ? {} : { name }),
});

function resource(given: Json | undefined): BlockContent {
  if (!isJsonObject(given)) {
    return note("a malformed resource");
  }
  const { text: words, uri, mimeType, blob } = given;
  const name = nameIn(uri);
  if (typeof words === "string") {
    const mediaType = isMediaType(mimeType) && isTextType(mimeType) ? mimeType : "text/plain";
    const visible = visibleText(words);
    return { kind: "part", part: file("file", mediaType, encode(visible), name), text: visible };
  }
  const visible = isMediaType(mimeType) && isTextType(mimeType) ? withoutHidden(blob) : blob;
  return media("file", given, visible, name) ?? note("a malformed resource");
}

const encode = (text: string): string => toBase64(new TextEncoder().encode(text));

/** A model would read the text in these bytes, too. */
function withoutHidden(blob: Json | undefined): Json | undefined {
  const bytes = typeof blob === "string" ? fromBase64(blob) : undefined;
  const text = bytes && new TextDecoder().decode(bytes);
  const visible = text && visibleText(text);
  return visible === text || visible === undefined ? blob : encode(visible);
}

/** The last part of a URI's path. */
function nameIn(uri: Json | undefined): string | undefined {
  const [last] = typeof uri === "string" ? (/[^/?#]+(?=[?#]|$)/.exec(uri) ?? []) : [];
  return last === undefined ? undefined : visibleLine(last, 100);
}

const longestUri = 2_000;

/** What looks like a credential in a URI is neither kept nor shown. */
function link({ uri, name, mimeType, size }: JsonObject, server: string): BlockContent {
  if (typeof uri !== "string" || uri === "" || uri.length > longestUri) {
    return note("a malformed link");
  }
  const reference = hideValues(visibleLine(uri, longestUri), secretsIn([uri]));
  const label = typeof name === "string" && name !== "" ? shown(name) : nameIn(uri);
  const bytes = typeof size === "number" && Number.isSafeInteger(size) && size >= 0 ? { size } : {};
  const artifact: DeferredArtifact = {
    kind: "deferred",
    reference,
    mediaType: isMediaType(mimeType) ? mimeType : "application/octet-stream",
    ...(label === undefined ? {} : { name: label }),
    ...bytes,
    server,
  };
  return { kind: "link", artifact };
}
