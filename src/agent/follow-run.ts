import type { ArtifactOwner, ArtifactStore } from "./artifact-store.ts";
import type { RunEvent } from "./run-event.ts";
import { whileRunning } from "./run-patience.ts";
import { hasEnded, runNotFound } from "./run-refusals.ts";
import type { RunKey, RunRecord, RunStore } from "./run-store.ts";
import { wholeEvent } from "./whole-event.ts";

/** Where a reader begins and when it leaves. */
export interface FollowOptions {
  /** The last sequence number that it has seen. Default: none, it reads from the first event. */
  readonly after?: number;
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal;
  /**
   * Where the run's large results are, so that its events come whole: the store that artifacts are
   * configured with. Absent: as the store has them, see {@link wholeEvent}.
   */
  readonly artifacts?: Pick<ArtifactStore, "get"> | undefined;
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
  { after = 0, signal = new AbortController().signal, artifacts }: FollowOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  try {
    yield* eventsAfter(after, { store, key, signal, artifacts });
  } catch (thrown) {
    if (!signal.aborted) {
      throw thrown;
    }
  }
}

interface Following extends Required<Pick<FollowOptions, "signal">> {
  readonly store: RunStore;
  readonly key: RunKey;
  readonly artifacts: FollowOptions["artifacts"];
}

async function* eventsAfter(
  after: number,
  following: Following,
): AsyncGenerator<RunEvent, void, undefined> {
  const { store, key, signal } = following;
  let last = after;
  for await (const _ of store.changes(key, signal)) {
    // First how it stands: what has ended has all its events.
    const run = await whileRunning(signal, () => store.get(key));
    if (run === undefined) {
      throw runNotFound(key.id);
    }
    for await (const event of eventsOf(run, last, following)) {
      last = event.sequence;
      yield event;
    }
    if (hasEnded(run.status)) {
      return;
    }
  }
}

/** What a run has after a sequence number, as it stands. */
async function* eventsOf(
  run: RunRecord,
  after: number,
  { store, key, signal, artifacts }: Following,
): AsyncGenerator<RunEvent, void, undefined> {
  let last = after;
  while (run.sequence > last) {
    const range = { after: last, limit: pageSize };
    const events = await whileRunning(signal, () => store.events(key, range));
    for (const event of events) {
      last = event.sequence;
      yield artifacts === undefined
        ? event
        : await whileRunning(signal, () => wholeEvent(event, { ...ownerOf(run), artifacts }));
    }
    if (events.length < pageSize) {
      return;
    }
  }
}

const ownerOf = ({ app, actor }: RunRecord): ArtifactOwner =>
  actor === undefined ? { app } : { app, actor };
