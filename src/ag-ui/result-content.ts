import type { MediaPart, ResultContent } from "../message/content.ts";
import type { AgUiContentPart } from "./ag-ui-event.ts";
import { mostCharacters } from "./in-pieces.ts";

/** With this much of media an event stays within the 10 MB that clients take. */
const mostMediaCharacters = 6_000_000;

/**
 * What a tool gave, as the protocol has it: a text where there is nothing but text. What is larger than
 * clients take is cut, or named instead of sent.
 */
export function resultContent(
  content: readonly ResultContent[],
): string | readonly AgUiContentPart[] {
  let mediaLeft = mostMediaCharacters;
  let textLeft = mostCharacters;
  const parts = content.map((part): AgUiContentPart => {
    if (part.kind === "text") {
      const text = cut(part.text, textLeft);
      textLeft -= text.length;
      return { type: "text", text };
    }
    const size = part.source.kind === "data" ? part.source.base64.length : 0;
    if (size > mediaLeft) {
      return { type: "text", text: nameOf(part) };
    }
    mediaLeft -= size;
    return toMedium(part);
  });
  return parts.every((part) => part.type === "text")
    ? parts.map(({ text }) => text).join("\n")
    : parts;
}

const cut = (text: string, most: number): string =>
  text.length > most
    ? `${text.slice(0, Math.max(0, most)).toWellFormed()}… [${text.length} characters]`
    : text;

/** The same as a text, for clients that read nothing else. */
export function contentText(content: string | readonly AgUiContentPart[]): string {
  if (typeof content === "string") {
    return content;
  }
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

function toMedium({ kind, mediaType, source }: MediaPart): AgUiContentPart {
  const type = kind !== "file" ? kind : mediaType.startsWith("video/") ? "video" : "document";
  return {
    type,
    source:
      source.kind === "data"
        ? { type: "data", value: source.base64, mimeType: mediaType }
        : { type: "url", value: source.url, mimeType: mediaType },
  };
}

const nameOf = ({ kind, mediaType, name }: MediaPart): string =>
  `[${kind} ${name ?? mediaType}, too large to be sent]`;
