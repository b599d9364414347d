import { type Json, parseJson } from "./json.ts";

/**
 * The JSON value in a text as models write it: the whole text, a fenced block, or the first object or
 * array in prose. Small faults (a trailing comma, single quotes, a missing bracket at the end) are
 * mended. `undefined` where there is none.
 */
export async function findJson(text: string): Promise<Json | undefined> {
  const candidates = [text.trim(), ...fencedBlocks(text), ...outermost(text)];
  for (const candidate of candidates) {
    const value = parseJson(candidate);
    if (value !== undefined && typeof value !== "string") {
      return value;
    }
  }
  return repair(candidates.filter((candidate) => /^[{[]/.test(candidate)));
}

function fencedBlocks(text: string): readonly string[] {
  return [...text.matchAll(/```[\w-]*\s*\n?(.*?)(?:```|$)/gs)].map(([, block]) =>
    (block ?? "").trim(),
  );
}

/** From the first opening bracket to the last closing one of its kind, and to the end of the text. */
function outermost(text: string): readonly string[] {
  const start = text.search(/[{[]/);
  if (start < 0) {
    return [];
  }
  const end = balancedEnd(text, start);
  return end === undefined ? [text.slice(start)] : [text.slice(start, end), text.slice(start)];
}

/** Where the bracket that opens at `start` is closed; brackets in strings do not count. */
export function balancedEnd(text: string, start: number): number | undefined {
  const signs = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  signs.lastIndex = start;
  let depth = 0;
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    depth += "{[".includes(match[0]) ? 1 : "}]".includes(match[0]) ? -1 : 0;
    if (depth === 0) {
      return signs.lastIndex;
    }
  }
  return undefined;
}

async function repair(candidates: readonly string[]): Promise<Json | undefined> {
  if (candidates.length === 0) {
    return undefined;
  }
  const { jsonrepair } = await import("jsonrepair");
  for (const candidate of candidates) {
    try {
      return parseJson(jsonrepair(candidate));
    } catch {
      // not this one
    }
  }
  return undefined;
}
