import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { escapeHidden } from "../text/visible-text.ts";

/** Beyond that a person reads no further. */
const mostChanges = 20;

/** How much of a text is shown on either side, in characters. */
const longestShown = 160;

/** What stays the same before a difference in a text, as far as it is shown. */
const contextBefore = 30;

/**
 * What differs between two definitions, place by place, a line each, for a person to read: what
 * nobody would see is written as an escape.
 */
export function definitionChanges(before: JsonObject, after: JsonObject): readonly string[] {
  const changes: string[] = [];
  compare({ path: "", before, after }, changes);
  const rest = changes.length - mostChanges;
  return rest > 0 ? [...changes.slice(0, mostChanges), `and ${rest} more difference(s)`] : changes;
}

interface Place {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

function compare({ path, before, after }: Place, changes: string[]): void {
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = path === "" ? key : `${path}.${key}`;
      compare({ path: inner, before: before[key], after: after[key] }, changes);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
      compare({ path: `${path}[${index}]`, before: before[index], after: after[index] }, changes);
    }
  } else if (before !== after) {
    changes.push(`${escapeHidden(path)}: ${change(before, after)}`);
  }
}

function change(before: Json | undefined, after: Json | undefined): string {
  if (before === undefined) {
    return `added ${shown(after)}`;
  }
  if (after === undefined) {
    return `removed ${shown(before)}`;
  }
  const start =
    typeof before === "string" && typeof after === "string" ? firstDifference(before, after) : 0;
  const from = Math.max(0, start - contextBefore);
  return `was ${shown(before, from)}, is ${shown(after, from)}`;
}

function firstDifference(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) {
    index += 1;
  }
  return index;
}

function shown(value: Json | undefined, from = 0): string {
  const text = typeof value === "string" ? value.slice(from) : JSON.stringify(value);
  const cut = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  const quoted = typeof value === "string" ? JSON.stringify((from > 0 ? "…" : "") + cut) : cut;
  return escapeHidden(quoted);
}
