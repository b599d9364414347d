/** A text word by word, with the space before each. */
export const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** A text in two pieces. */
export const halvesOf = (text: string): readonly [string, string] => {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)];
};
