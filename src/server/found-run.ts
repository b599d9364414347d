import type { RunRecord } from "../agent/run-store.ts";
import type { Place } from "./places.ts";

/** A run of the caller's, and where it is kept. */
export interface FoundRun {
  readonly place: Place;
  readonly record: RunRecord;
}
