import { RunError } from "./run-error.ts";
import type { RunPage, RunRecord } from "./run-store.ts";

/** A page of runs in their order, of which one more than the page's size was asked for. */
export function toRunPage(found: readonly RunRecord[], size: number): RunPage {
  const runs = found.slice(0, size);
  const last = runs.at(-1);
  return found.length > size && last !== undefined
    ? { runs, next: `${last.updatedAt} ${last.id}` }
    : { runs };
}

/** Where a page begins: behind this run. @throws RunError `run-invalid`. */
export function parseRunCursor(
  after: string | undefined,
): { readonly updatedAt: number; readonly id: string } | undefined {
  if (after === undefined) {
    return undefined;
  }
  const [, time, id] = /^(\d{1,15}) (.+)$/su.exec(after) ?? [];
  if (time === undefined || id === undefined) {
    throw new RunError('"after" is not the "next" of a page of runs.', { code: "run-invalid" });
  }
  return { updatedAt: Number(time), id };
}

type Place = Pick<RunRecord, "id" | "updatedAt">;

/** The last changed first; of those that changed at one time, the greater id. */
export function newestFirst(one: Place, other: Place): number {
  if (one.updatedAt !== other.updatedAt) {
    return other.updatedAt - one.updatedAt;
  }
  if (one.id === other.id) {
    return 0;
  }
  return one.id < other.id ? 1 : -1;
}
