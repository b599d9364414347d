import { parseJson } from "../../base/json.ts";
import { wordsOf } from "../../base/words.ts";

/** What a token of a message is. A `mark` is a single character of punctuation. */
export type TokenKind =
  | "word"
  | "quoted"
  | "path"
  | "url"
  | "email"
  | "number"
  | "date"
  | "json"
  | "mark";

/** A piece of a message that has a meaning of its own. */
export interface Token {
  readonly kind: TokenKind;
  /** What it stands for: without quotes, `3` for `three`, `Ada` for `Ada's`. */
  readonly value: string;
  /** In lower case, for the words of grammar. */
  readonly lower: string;
  /** For matching, as `wordsOf` gives it; an identifier may have several. */
  readonly stems: readonly string[];
  /** Where it stands in the message, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a message into typed tokens: quoted texts, paths, URLs, numbers, dates, JSON, words, marks.
 * What comes after the first 1,000 tokens is left out: no request is that long.
 */
export function tokenize(message: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < message.length && tokens.length < mostTokens) {
    const token = /\s/.test(message.charAt(position)) ? undefined : readToken(message, position);
    if (token !== undefined) {
      tokens.push(token);
    }
    position = token?.end ?? position + 1;
  }
  return tokens;
}

const mostTokens = 1_000;

/** Whether a text without blanks looks like the path of a file, a folder or a pattern of paths. */
export function isPathLike(text: string): boolean {
  if (notPaths.test(text) || /\s/.test(text)) {
    return false;
  }
  return (
    /^(?:~|\.{1,2})?[\\/]/.test(text) ||
    /^(?:[A-Za-z]:)?[\\/]/.test(text) ||
    /[\p{L}\p{N}_*)\]-][\\/]/u.test(text) ||
    /[\p{L}\p{N}_./-]\*|\*[.*/\p{L}]/u.test(text) ||
    isFileName(text) ||
    /^\.[A-Za-z][\w.-]*$/.test(text)
  );
}

/** Whether a path names a file: its last part has an extension, or is a name that only files have. */
export function isFileName(path: string): boolean {
  return (
    /(?:^|[\\/])[\p{L}\p{N}_@+*-][\p{L}\p{N}_@+.*-]*\.[A-Za-z][A-Za-z0-9]{0,9}$/u.test(path) ||
    wellKnownFile.test(path)
  );
}

const wellKnownFile =
  /(?:^|[\\/])(?:README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|NOTICE|Makefile|Dockerfile)$/;

const notPaths = /^(?:and\/or|on\/off|he\/she|yes\/no|either\/or|[\d/]+|e\.g|i\.e|a\.m|p\.m)$/i;

type Reader = (message: string, position: number) => Token | undefined;

const readToken: Reader = (message, position) => {
  for (const reader of readers) {
    const token = reader(message, position);
    if (token !== undefined) {
      return token;
    }
  }
  return undefined;
};

const readJson: Reader = (message, position) => {
  const end = /[{[]/.test(message.charAt(position)) ? closingOf(message, position) : undefined;
  const text = message.slice(position, end);
  return end === undefined || parseJson(text) === undefined
    ? undefined
    : makeToken("json", text, text, position);
};

const longestJson = 20_000;

/** Where the bracket at `position` is closed, brackets in strings apart. */
function closingOf(message: string, position: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let index = position; index < Math.min(message.length, position + longestJson); index += 1) {
    const character = message.charAt(index);
    if (quoted) {
      index += character === "\\" ? 1 : 0;
      quoted = character !== '"';
    } else if (character === '"') {
      quoted = true;
    } else if (/[{[]/.test(character)) {
      depth += 1;
    } else if (/[}\]]/.test(character)) {
      depth -= 1;
      if (depth === 0) {
        return index + 1;
      }
    }
  }
  return undefined;
}

const quotes = [/"([^"]*)"/y, /“([^”]*)”/y, /`([^`]+)`/y, /«([^»]*)»/y, /‘([^’]*)’/y];
const apostrophes = /'((?:[^']|'(?=\p{L}))*)'(?!\p{L})/uy;

const readQuoted: Reader = (message, position) => {
  const inWord = /[\p{L}\p{N}]/u.test(message.charAt(position - 1));
  for (const pattern of inWord ? quotes : [...quotes, apostrophes]) {
    pattern.lastIndex = position;
    const [text, inner] = pattern.exec(message) ?? [];
    if (text !== undefined && inner !== undefined) {
      return makeToken("quoted", text, inner, position);
    }
  }
  return undefined;
};

/** Runs without blanks whose kind shows in their form; punctuation that ends them is not theirs. */
const readForm: Reader = (message, position) => {
  if (/[\p{L}\p{N}_]/u.test(message.charAt(position - 1))) {
    return undefined;
  }
  dataUrl.lastIndex = position;
  const [data] = dataUrl.exec(message) ?? [];
  if (data !== undefined) {
    return makeToken("url", data, data, position);
  }
  bareRun.lastIndex = position;
  const [run = ""] = bareRun.exec(message) ?? [];
  const text = run === "." || run === ".." ? run : run.replace(/[.,;:?!)\]]+$/, "");
  const kind =
    text === "" || text.length > longestForm
      ? undefined
      : formOf(text, message.charAt(position - 1));
  return kind === undefined ? undefined : makeToken(kind, text, text, position);
};

/** No path, address or URL is longer; only a `data:` URL is, which is told by its beginning. */
const longestForm = 4_000;

const dataUrl = /data:[\w.+/-]*(?:;[\w=.-]+)*,[^\s"'<>]*/y;
const bareRun = /[^\s"`<>“”«»,;]+(?:,[^\s"`,;]+)*/y;

function formOf(text: string, before: string): TokenKind | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|(?:data|mailto|urn):)\S+/i.test(text)) {
    return "url";
  }
  if (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text)) {
    return "email";
  }
  if (/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text)) {
    return "date";
  }
  const alone = /^\.{1,2}$/.test(text) && (before === "" || /\s/.test(before));
  return alone || (isPathLike(text) && !text.includes(",") && !/[({=]/.test(text))
    ? "path"
    : undefined;
}

const readNumber: Reader = (message, position) => {
  const pattern = /[\p{L}\p{N})]/u.test(message.charAt(position - 1)) ? unsigned : signed;
  pattern.lastIndex = position;
  const [text] = pattern.exec(message) ?? [];
  return text === undefined
    ? undefined
    : makeToken("number", text, text.replaceAll(/[,_](?=\d{3})|^\+/g, ""), position);
};

const unsigned = /\d+(?:[,_]\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?![\p{L}\p{N}_])/uy;
const signed = /[-+]?\d+(?:[,_]\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?![\p{L}\p{N}_])/uy;

const readWord: Reader = (message, position) => {
  word.lastIndex = position;
  const [text] = word.exec(message) ?? [];
  if (text === undefined) {
    return undefined;
  }
  const value = text.replace(/['’]s?$/i, "").replace(/-+$/, "");
  const number = numberWords.get(value.toLowerCase());
  return number === undefined
    ? makeToken("word", text, value, position)
    : makeToken("number", text, number, position);
};

const word = /[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_'’-])*/uy;

/** `one` is left out: it is a pronoun more often than a number. */
const numberWords: ReadonlyMap<string, string> = new Map(
  "two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((name, index) => [name, `${index + 2}`]),
);

const readMark: Reader = (message, position) => {
  const character = String.fromCodePoint(message.codePointAt(position) ?? 0);
  return makeToken("mark", character, character, position);
};

const readers: readonly Reader[] = [readJson, readQuoted, readForm, readNumber, readWord, readMark];

function makeToken(kind: TokenKind, text: string, value: string, start: number): Token {
  // The name of a thing such as TypeScript is one word.
  const isProper = /^\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*$/u.test(value);
  const matched = kind === "word" || (kind === "number" && /^\p{L}/u.test(text));
  return {
    kind,
    value,
    lower: value.toLowerCase(),
    stems: matched ? wordsOf(isProper ? value.toLowerCase() : value) : (signs.get(text) ?? []),
    start,
    end: start + text.length,
  };
}

/** Marks that are read aloud as a word. */
const signs: ReadonlyMap<string, readonly string[]> = new Map([["+", wordsOf("plus")]]);
