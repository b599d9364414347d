import type { JsonObject } from "../../base/json.ts";
import type { MediaPart, MediaSource } from "../../message/content.ts";
import { unreadable } from "../provider/media-words.ts";

/**
 * A medium as a content part of a user message. What chat completions cannot carry becomes a note, so
 * that the model knows of it; bytes never become text.
 */
export function toMediaPart(part: MediaPart, images: boolean): JsonObject {
  const { kind, source, mediaType, name } = part;
  if (kind === "image" && images) {
    return { type: "image_url", image_url: { url: urlOf(source, mediaType) } };
  }
  const format = audioFormats[mediaType];
  if (kind === "audio" && source.kind === "data" && format !== undefined) {
    return { type: "input_audio", input_audio: { data: source.base64, format } };
  }
  if (kind === "file" && mediaType === "application/pdf" && source.kind === "data") {
    const file_data = urlOf(source, mediaType);
    return { type: "file", file: { filename: name ?? "document.pdf", file_data } };
  }
  return { type: "text", text: unreadable(part) };
}

const urlOf = (source: MediaSource, mediaType: string): string =>
  source.kind === "url" ? source.url : `data:${mediaType};base64,${source.base64}`;

const audioFormats: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};
