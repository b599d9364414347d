/** A part of a text, as `slice` gives it, without half a character at either end. */
export function sliceText(text: string, start: number, end: number = text.length): string {
  const from = isInsidePair(text, start) ? start + 1 : start;
  const to = isInsidePair(text, end) ? end - 1 : end;
  return text.slice(from, Math.max(from, to));
}

const isInsidePair = (text: string, index: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(index - 1)) && /[\udc00-\udfff]/.test(text.charAt(index));
