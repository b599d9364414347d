import type { MediaPart, ResultContent } from "../message/content.ts";
import type { AgUiContentPart } from "./ag-ui-event.ts";

/** Clients give up on a message of more than 10 MB; a larger medium is named instead of sent. */
const mostMediaCharacters = 6_000_000;

/** What a tool gave, as the protocol has it: a text where there is nothing but text. */
export function resultContent(
  content: readonly ResultContent[],
): string | readonly AgUiContentPart[] {
  let left = mostMediaCharacters;
  const parts = content.map((part): AgUiContentPart => {
    if (part.kind === "text") {
      return { type: "text", text: part.text };
    }
    left -= part.source.kind === "data" ? part.source.base64.length : 0;
    return left < 0 ? { type: "text", text: nameOf(part) } : toMedium(part);
  });
  return parts.every((part) => part.type === "text")
    ? parts.map(({ text }) => text).join("\n")
    : parts;
}

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
