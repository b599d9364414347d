import type { RE2JS } from "re2js";

/** The engine that runs patterns. */
export type PatternEngine = typeof RE2JS;

/** The largest automaton that is built of one pattern, and of all patterns of a schema, in states. */
const mostStates = 5_000;
const mostStatesInAll = 50_000;

/** What building a state costs, and how many states a character passes, in steps of a check. */
const stepsPerState = 4;
const statesPerStep = 8;

/** The engine, loaded with the first pattern. */
export async function loadPatternEngine(): Promise<PatternEngine> {
  return (await import("re2js")).RE2JS;
}

/**
 * ECMAScript patterns (those of JSON Schema) as linear-time ones, by their source. `undefined` is what
 * cannot be had so: look-around, back references, what is no pattern, and what is too large.
 *
 * Native regular expressions are not run: they backtrack, and one bad pattern of a stranger's schema
 * stops the process.
 */
export function linearPatterns(
  sources: readonly string[],
): ReadonlyMap<string, LinearPattern | undefined> {
  const patterns = new Map<string, LinearPattern | undefined>();
  let left = mostStatesInAll;
  for (const source of new Set(sources)) {
    // The text comes first: a pattern has about as many states, and reading it takes time, too.
    const isShort = source.length <= Math.min(mostStates, left);
    left -= source.length;
    const pattern = isShort && isPattern(source) ? translate(source) : undefined;
    const fits = pattern !== undefined && pattern.size <= Math.min(mostStates, left);
    left -= fits ? pattern.size : 0;
    patterns.set(source, fits ? pattern : undefined);
  }
  return patterns;
}

/** A pattern that takes time in proportion to the text, whatever the pattern. */
export class LinearPattern {
  /** An upper bound of its states. */
  readonly size: number;
  readonly #translated: string;
  #automaton: RE2JS | undefined;
  #isRefused = false;

  constructor(translated: string, size: number) {
    this.#translated = translated;
    this.size = size;
  }

  /** The same pattern, for which capitals and small letters are one. */
  ignoringCase(): LinearPattern {
    return new LinearPattern(`(?i)${this.#translated}`, this.size);
  }

  /** What a test of a text costs, in steps of some hundred nanoseconds. The first builds the automaton. */
  stepsFor(text: string): number {
    const building = this.#automaton === undefined ? this.size * stepsPerState : 0;
    return Math.ceil(building + (this.size * text.length) / statesPerStep);
  }

  /** Whether the text contains a match; undefined where the engine does not take the pattern. */
  test(text: string, engine: PatternEngine): boolean | undefined {
    this.#automaton ??= this.#build(engine);
    return this.#automaton?.matcher(text).find();
  }

  #build(engine: PatternEngine): RE2JS | undefined {
    try {
      return this.#isRefused ? undefined : engine.compile(engine.translateRegExp(this.#translated));
    } catch {
      this.#isRefused = true;
      return undefined;
    }
  }
}

/** Whether it is a pattern at all. Making a native expression only reads it, in linear time. */
function isPattern(source: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(source, flags) !== undefined;
    } catch {
      return false;
    }
  });
}

/** One piece of a pattern. */
const piece =
  /\\[pP]\{[^}]{0,60}\}|\\u\{[^}]{0,8}\}|\\u[0-9a-fA-F]{4}|\\.|\[\^?(?:\\.|[^\]\\])*\]|\((?:\?(?::|<(?![=!])[^>]{0,60}>)?)?|\{(\d+)(?:,(\d*))?\}|./gsu;

/** White space and "any character" mean less to the engine than to ECMAScript. */
const space =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";

/** The pattern in the engine's words, and an upper bound of the automaton's size. */
function translate(source: string): LinearPattern | undefined {
  const translated: string[] = [];
  // Sizes of the groups that are open, and of the last atom, which a repetition multiplies.
  const open: number[] = [];
  let size = 1;
  let last = 0;
  for (const match of source.matchAll(piece)) {
    const [text, least, most] = match;
    if (text === "(?" || /^\\[1-9k]/.test(text)) {
      return undefined; // look-around, or a back reference
    }
    translated.push(inEngineWords(text));
    if (text.startsWith("(")) {
      open.push(size);
      size = 2;
    } else if (text === ")") {
      last = size;
      size = (open.pop() ?? 0) + last;
    } else if (least !== undefined) {
      const times = Math.max(1, Number(least) + 1, Number(most ?? 0));
      size += last * (times - 1);
      last *= times;
    } else {
      last = 1;
      size += 1;
    }
  }
  return new LinearPattern(translated.join(""), size);
}

function inEngineWords(text: string): string {
  switch (text) {
    case ".":
      return "[^\\n\\r\\x{2028}\\x{2029}]";
    case "\\s":
      return `[${space}]`;
    case "\\S":
      return `[^${space}]`;
    case "\\d":
      return "[0-9]";
    default:
      // In a class a negated set cannot be spelt out; \S there stays the engine's.
      return text.startsWith("[") ? text.replace(/\\./gsu, inClass) : text;
  }
}

const inClass = (text: string): string => (text === "\\s" ? space : text);
