import { sliceText } from "../base/slice-text.ts";

/** A result's text may have so many characters where the agent says nothing: about 10 000 tokens. */
export const defaultResultCharacters = 40_000;

/** However many calls a turn has, each may say so much. */
const leastCharacters = 4_000;

/**
 * How many characters of text one result of a turn may have: `most`, and less where there are more
 * than two calls, so that a turn of many calls does not fill the context.
 */
export function shareOf(most: number, callsInTurn: number): number {
  return Math.min(most, Math.max(leastCharacters, Math.floor((2 * most) / callsInTurn)));
}

/** The beginning and the end of a text, `kept` characters in all, and between them how much is missing. */
export function cutText(text: string, kept: number, whereTheRestIs: string): string {
  const tail = Math.floor(kept / 4);
  const head = sliceText(text, 0, kept - tail);
  const end = sliceText(text, text.length - tail);
  const missing = text.length - head.length - end.length;
  return `${head}\n[… ${missing} of ${text.length} characters are left out here. ${whereTheRestIs} …]\n${end}`;
}
