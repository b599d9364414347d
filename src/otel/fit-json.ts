/**
 * The JSON text of a value, at most so long: its texts are cut as far as they must be, so that it stays
 * JSON. What is too long even so becomes one text.
 *
 * @returns `undefined` for what JSON cannot say.
 */
export function fitJson(value: unknown, maxCharacters: number): string | undefined {
  try {
    const whole = JSON.stringify(value) as string | undefined; // a function has none
    if (whole === undefined || whole.length <= maxCharacters) {
      return whole;
    }
    for (let most = maxCharacters / 2; most >= 8; most /= 4) {
      const text = JSON.stringify(value, (_, part: unknown) =>
        typeof part === "string" ? cutText(part, most) : part,
      );
      if (text.length <= maxCharacters) {
        return text;
      }
    }
    // Escapes take room, too.
    return JSON.stringify(cutText(whole, maxCharacters / 2));
  } catch {
    return undefined; // it has itself among its parts, or is too deep
  }
}

/** A text, at most so long; what is cut ends with `…`. */
export const cutText = (text: string, maxCharacters: number): string =>
  text.length > maxCharacters
    ? `${text.slice(0, Math.max(Math.floor(maxCharacters) - 1, 0)).toWellFormed()}…`
    : text;
