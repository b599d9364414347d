import { createId } from "../base/ids.ts";
import type { Places } from "./places.ts";
import type { RunTracker } from "./run-tracker.ts";

/**
 * Stops the runs that go on here. Those that are kept in a store that outlives the process stay as they
 * are and can be taken up again: nothing that they still do here is recorded. The others are cancelled.
 */
export async function putDownRuns(tracker: RunTracker, places: Places): Promise<void> {
  const { active } = tracker;
  await Promise.all(active.map(({ id }) => disown(id, places)));
  for (const run of active) {
    run.cancel("The server is shutting down.");
  }
  await Promise.all(active.map(({ result }) => result));
}

/** Ends the runs that would not outlive the process. */
export async function cancelFleetingRuns(tracker: RunTracker, places: Places): Promise<void> {
  const durable = places.ofRuns.filter(({ isDurable }) => isDurable);
  for (const run of tracker.active) {
    const kept = await Promise.all(
      durable.map(({ app, runs }) => runs.get({ app, id: run.id }).catch(() => undefined)),
    );
    if (kept.every((record) => record === undefined)) {
      run.cancel("The server is shutting down.");
      await run.result;
    }
  }
}

async function disown(id: string, places: Places): Promise<void> {
  for (const { app, runs } of places.ofRuns.filter(({ isDurable }) => isDurable)) {
    try {
      await runs.takeOver({ app, id }, createId("owner"));
      return;
    } catch {
      // It is not kept there, has ended just now, or the store is away, which leaves it where it is.
    }
  }
}
