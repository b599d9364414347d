import { stripVTControlCharacters } from "node:util";
import { escapeHidden } from "../mcp/text/visible-text.ts";

/** Control characters but tab and line feed, and characters that reorder or hide what is printed. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/**
 * A text that a terminal prints as it is read: what comes from a model or a server may otherwise move
 * the cursor, recolour lines or hide them. Line feeds and tabs stay.
 */
export function terminalText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replace(invisible, "");
}

/** The same on one line, cut to a number of characters. */
export function terminalLine(text: string, longest: number): string {
  const line = terminalText(text).replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** A document as JSON text in which what nobody would see, or a terminal would obey, is an escape. */
export function jsonText(document: unknown): string {
  return escapeHidden(JSON.stringify(document, undefined, 2));
}
