/**
 * Why a text cannot be an id or a title in a store, for a sentence that begins with `what`; `undefined`
 * where it can. Half a surrogate pair is no Unicode: databases would take two different ids for one.
 */
export function textProblem(value: unknown, what: string, longest: number): string | undefined {
  if (typeof value !== "string") {
    return `The ${what} is not a text but ${value === null ? "null" : typeof value}.`;
  }
  if (value.length > longest) {
    return `The ${what} is ${value.length} characters long; ${longest} are allowed.`;
  }
  return !value.isWellFormed() || /\p{Cc}/u.test(value)
    ? `The ${what} holds control characters, or half a character.`
    : undefined;
}
