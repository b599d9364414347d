import type { RE2JS } from "re2js";

/** A pattern that takes time in proportion to the text, whatever the pattern. */
export interface LinearPattern {
  /** What a test costs, in steps of a hundred nanoseconds or so for each character. */
  readonly stepsPerCharacter: number;
  /** Whether the text contains a match. */
  test(text: string): boolean;
}

/** The largest automaton that is built of one pattern, and of all patterns of a schema, in states. */
const mostStates = 5_000;
const mostStatesInAll = 50_000;

/** Below this the engine takes a tenth of a step for one state and one character. */
const statesPerStep = 8;

/**
 * ECMAScript patterns (those of JSON Schema) as linear-time ones, by their source. `undefined` is what
 * cannot be had so: look-around, back references, what is no pattern, and what is too large.
 *
 * Native regular expressions are not used: they backtrack, and one bad pattern of a stranger's schema
 * stops the process. The engine is loaded with the first pattern.
 */
export async function linearPatterns(
  sources: readonly string[],
): Promise<ReadonlyMap<string, LinearPattern | undefined>> {
  const patterns = new Map<string, LinearPattern | undefined>();
  if (sources.length === 0) {
    return patterns;
  }
  const { RE2JS: engine } = await import("re2js");
  let left = mostStatesInAll;
  for (const source of new Set(sources)) {
    const size = source.length;
    // The text comes first: a pattern has at least as many states, and reading it takes time, too.
    const pattern = size > Math.min(mostStates, left) ? undefined : translate(source);
    left -= size;
    const fits = pattern !== undefined && pattern.size <= Math.min(mostStates, left);
    left -= fits ? pattern.size : 0;
    patterns.set(source, fits ? compile(engine, pattern.translated) : undefined);
  }
  return patterns;
}

function compile(engine: typeof RE2JS, translated: string): LinearPattern | undefined {
  try {
    const pattern = engine.compile(engine.translateRegExp(translated));
    return {
      stepsPerCharacter: pattern.programSize() / statesPerStep,
      test: (text) => pattern.matcher(text).find(),
    };
  } catch {
    return undefined; // whatever it refuses is not checked
  }
}

/** One piece of a pattern. An unclosed one is looked for to the end of the pattern, which is short. */
const piece =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\.|\[\^?(?:\\.|[^\]\\])*\]|\((?:\?(?::|<(?![=!])[^>]*>)?)?|\{(\d+)(?:,(\d*))?\}|./gsu;

/** White space and "any character" mean less to the engine than to ECMAScript. */
const space =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";

/** The pattern in the engine's words, and an upper bound of the automaton's size. */
function translate(source: string): { readonly translated: string; readonly size: number } {
  const translated: string[] = [];
  // Sizes of the groups that are open, and of the last atom, which a repetition multiplies.
  const open: number[] = [];
  let size = 1;
  let last = 0;
  for (const match of source.matchAll(piece)) {
    const [text, least, most] = match;
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
  return { translated: translated.join(""), size };
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
