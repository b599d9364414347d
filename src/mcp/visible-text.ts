/**
 * A server's text as a person would see it: control, bidirectional, zero-width and tag characters
 * and variation selectors are taken out, because a model reads what nobody sees. Line breaks and
 * tabs stay.
 */
export function visibleText(text: string): string {
  return text.replace(hidden, "");
}

/** The same on one line and at most `longest` characters long, for a name or a message. */
export function visibleLine(text: string, longest: number): string {
  const line = visibleText(text).replace(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

/** Whether {@link visibleText} may change a text: a quick test, which nearly all texts pass. */
export function hasUnseen(text: string): boolean {
  return beyondAscii.test(text);
}

/** Whatever is not a visible ASCII character, a blank, a tab or a line break. */
const beyondAscii = /[^\t\n\r -~]/;
/** The same characters written as escapes of JSON, so that a person sees that they are there. */
export function escapeHidden(text: string): string {
  return text.replace(hidden, (found) =>
    Array.from({ length: found.length }, (_unused, index) => escapeOf(found, index)).join(""),
  );
}

const escapeOf = (text: string, index: number): string =>
  `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;

const hidden = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]", // control, save tab and line breaks
    "[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0]", // invisible fillers
    "[\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]", // zero width, bidirectional
    "[\\ufe00-\\ufe0f\\ufff9-\\ufffb]", // variation selectors, interlinear marks
    "[\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]", // musical control, tags, more variation selectors
  ].join("|"),
  "gu",
);
