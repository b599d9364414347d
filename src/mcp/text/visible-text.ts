/**
 * A server's text as a person would see it: control, bidirectional, zero-width and tag characters
 * and variation selectors are taken out, because a model reads what nobody sees. Line breaks and
 * tabs stay, and so do the joiners that emoji and some scripts are written with (Unicode UTS #51;
 * RFC 5892, A.1 and A.2), each where it belongs.
 */
export function visibleText(text: string): string {
  if (!hasUnseen(text)) {
    return text;
  }
  return text.replace(hidden, (found, offset: number) =>
    isJoiner(found) && belongs(found, text, offset) ? found : "",
  );
}

/** The same on one line and at most `longest` characters long, for a name or a message. */
export function visibleLine(text: string, longest: number): string {
  const line = visibleText(text).replace(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

/** Whether {@link visibleText} may change a text: a quick test, which nearly all texts pass. */
export function hasUnseen(text: string): boolean {
  return text.length > shortText ? beyondAscii.test(text) : isBeyondAscii(text);
}

/** Whatever is not a visible ASCII character, a blank, a tab or a line break. */
const beyondAscii = /[^\t\n\r -~]/;

/** For up to so many characters, to start the expression would cost more than to look at each. */
const shortText = 32;

function isBeyondAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isPlain = code < 0x20 ? code === 0x09 || code === 0x0a || code === 0x0d : code < 0x7f;
    if (!isPlain) {
      return true;
    }
  }
  return false;
}

/** The same characters written as escapes of JSON, so that a person sees that they are there. */
export function escapeHidden(text: string): string {
  return text.replace(hidden, (found, offset: number) =>
    isJoiner(found) && belongs(found, text, offset)
      ? found
      : Array.from({ length: found.length }, (_unused, index) => escapeOf(found, index)).join(""),
  );
}

const escapeOf = (text: string, index: number): string =>
  `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;

const nonJoiner = "\u200c";
const joiner = "\u200d";
const emojiSelector = "\ufe0f";

const isJoiner = (found: string): boolean =>
  found === nonJoiner || found === joiner || found === emojiSelector;

/** Whether one of the joiners stands between what it joins: one at a time carries no message. */
function belongs(found: string, text: string, offset: number): boolean {
  const before = lastOf(text.slice(Math.max(0, offset - 2), offset));
  const after = String.fromCodePoint(text.codePointAt(offset + 1) ?? 0);
  if (found === emojiSelector) {
    return emoji.test(before) || (/^[0-9#*]$/.test(before) && after === keycap);
  }
  const joinsEmoji = found === joiner && endOfEmoji.test(before) && emoji.test(after);
  return joinsEmoji || (joinedScripts.test(before) && joinedScripts.test(after));
}

const lastOf = (text: string): string => [...text].at(-1) ?? "";

const emoji = /^\p{Extended_Pictographic}$/u;

const endOfEmoji = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;

/** What makes a key of the digit before it. */
const keycap = "\u20e3";

/** Scripts whose words are written with joiners: those of Arabic and its kin, and those of India. */
const joinedScripts = new RegExp(
  `^[${[
    ...["Arabic", "Syriac", "Nko", "Mongolian", "Devanagari", "Bengali", "Gurmukhi", "Gujarati"],
    ...["Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar"],
  ]
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]$`,
  "u",
);

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
