/** Clients give up on an event of more than 10 MB; in JSON a character may be six bytes. */
export const mostCharacters = 1_000_000;

/** A text in pieces of bearable size; no character is cut in two. */
export function inPieces(text: string): readonly string[] {
  if (text.length <= mostCharacters) {
    return [text];
  }
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = start + mostCharacters;
    const code = text.charCodeAt(end - 1);
    const cutsPair = end < text.length && code >= 0xd800 && code <= 0xdbff;
    pieces.push(text.slice(start, cutsPair ? end - 1 : end));
    start = cutsPair ? end - 1 : end;
  }
  return pieces;
}
