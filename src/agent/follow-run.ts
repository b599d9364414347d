import type { RunEvent } from "./run-event.ts";
import { whileRunning } from "./run-patience.ts";
import { hasEnded, runNotFound } from "./run-refusals.ts";
import type { RunKey, RunStore } from "./run-store.ts";

/** Where a reader begins and when it leaves. */
export interface FollowOptions {
  /** The last sequence number that it has seen. Default: none, it reads from the first event. */
  readonly after?: number;
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal;
}

/** How many events are read at once. */
const pageSize = 500;

/**
 * The events of a run that is kept: those that are there, then each soon after it was recorded, in
 * whatever process, until the run has ended. A run that waits for somebody is waited for: leave the
 * loop at `run-suspend` if that is not wanted. Whoever comes back says what they have seen last and
 * misses nothing; pieces of a text come joined.
 *
 * @throws RunError `run-not-found`, also where the run is deleted meanwhile, and what the store throws.
 */
export async function* followRun(
  store: RunStore,
  key: RunKey,
  { after = 0, signal = new AbortController().signal }: FollowOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  try {
    yield* eventsAfter(after, { store, key, signal });
  } catch (thrown) {
    if (!signal.aborted) {
      throw thrown;
    }
  }
}

async function* eventsAfter(
  after: number,
  {
    store,
    key,
    signal,
  }: { readonly store: RunStore; readonly key: RunKey; readonly signal: AbortSignal },
): AsyncGenerator<RunEvent, void, undefined> {
  let last = after;
  for await (const _ of store.changes(key, signal)) {
    // First how it stands: what has ended has all its events.
    const run = await whileRunning(signal, () => store.get(key));
    if (run === undefined) {
      throw runNotFound(key.id);
    }
    while (run.sequence > last) {
      const range = { after: last, limit: pageSize };
      const events = await whileRunning(signal, () => store.events(key, range));
      for (const event of events) {
        last = event.sequence;
        yield event;
      }
      if (events.length < pageSize) {
        break;
      }
    }
    if (hasEnded(run.status)) {
      return;
    }
  }
}
