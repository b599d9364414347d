import { fromCursor, type PagePlace, toCursor } from "../base/page-place.ts";
import { RunError } from "./run-error.ts";
import type { RunPage, RunRecord } from "./run-store.ts";

/** A page of runs in their order, of which one more than the page's size was asked for. */
export function toRunPage(found: readonly RunRecord[], size: number): RunPage {
  const runs = found.slice(0, size);
  const last = runs.at(-1);
  return found.length > size && last !== undefined ? { runs, next: toCursor(last) } : { runs };
}

/** Where a page begins: behind this run. @throws RunError `run-invalid`. */
export function parseRunCursor(after: string | undefined): PagePlace | undefined {
  const place = after === undefined ? undefined : fromCursor(after);
  if (after !== undefined && place === undefined) {
    throw new RunError('"after" is not the "next" of a page of runs.', { code: "run-invalid" });
  }
  return place;
}

/** The last changed first; of those that changed at one time, the greater id. */
export function newestFirst(one: PagePlace, other: PagePlace): number {
  if (one.updatedAt !== other.updatedAt) {
    return other.updatedAt - one.updatedAt;
  }
  if (one.id === other.id) {
    return 0;
  }
  return one.id < other.id ? 1 : -1;
}
