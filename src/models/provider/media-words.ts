import type { MediaPart } from "../../message/content.ts";

/** A medium's name, if it has one, and type. */
export const labelOf = ({ mediaType, name }: MediaPart): string =>
  name === undefined ? mediaType : `${name}, ${mediaType}`;

/** What stands for a medium that a provider cannot carry, so that the model knows of it. */
export function unreadable(part: MediaPart): string {
  const { kind, source, artifact } = part;
  const isLink = source.kind === "url" && !/^data:/i.test(source.url);
  const where =
    artifact !== undefined ? `, artifact ${artifact}` : isLink ? ` at ${source.url}` : "";
  return `[${kind} ${labelOf(part)}${where}: not readable for this model]`;
}

/** The bytes of a medium in base64, where they are here; also those in a `data:` URL. */
export function base64Of({ source }: MediaPart): string | undefined {
  if (source.kind === "data") {
    return source.base64;
  }
  const [, isBase64, text] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(source.url) ?? [];
  if (text === undefined) {
    return undefined;
  }
  return isBase64 === undefined ? Buffer.from(decodeURIComponent(text)).toString("base64") : text;
}
