import type { ArtifactStore } from "../agent/artifact-store.ts";
import { followRun } from "../agent/follow-run.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { RunSource } from "./positioned-events.ts";
import { callIdOnWire, partOf } from "./run-part.ts";
import type { StreamPosition } from "./stream-position.ts";

/** A run that is looked for in a store. */
export interface StoredRunQuery {
  readonly store: RunStore;
  readonly app: string;
  /** Our id of the run. */
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  readonly actor: string | undefined;
  /** The last event that the reader has. */
  readonly after: StreamPosition | undefined;
  /** Where the run's large results are. */
  readonly artifacts: ArtifactStore | undefined;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** What is read of a run that is kept. */
export interface StoredRun {
  readonly source: RunSource;
  /** Calls, by their ids on the wire, that earlier runs of the client have shown. */
  readonly shownCallIds: readonly string[];
}

/**
 * The part of a kept run that a client's run was about: from its beginning, or from where it was resumed
 * last, until it ends or waits; also while another process executes it.
 *
 * @returns `undefined` where there is none, or it is another caller's.
 */
export async function storedRun(query: StoredRunQuery): Promise<StoredRun | undefined> {
  const { store, app, id, agent, session, actor, after, artifacts, signal } = query;
  const record = await store.get({ app, id });
  if (record?.actor !== actor || record?.session !== session || record.agent !== agent) {
    return undefined;
  }
  const events = await store.events({ app, id });
  const end = after?.sequence ?? Number.POSITIVE_INFINITY;
  // Each wait was the end of a run of the client's; one that is not over yet is the end of this one.
  const waits = events.filter(
    ({ kind, sequence }, index) =>
      kind === "run-suspend" && sequence < end && index < events.length - 1,
  );
  const start = waits.at(-1)?.sequence ?? 0;
  const before = events.filter(({ sequence }) => sequence <= start);
  return {
    source: followRun(store, { app, id }, { after: start, signal, artifacts }),
    shownCallIds: callIdsIn(before),
  };
}

/** Ids on the wire of the calls that events tell of. */
export const callIdsIn = (events: readonly RunEvent[]): readonly string[] => [
  ...new Set(
    events.flatMap((event) =>
      event.kind === "tool-call-start" || event.kind === "tool-start"
        ? [callIdOnWire(partOf(event), event.id)]
        : [],
    ),
  ),
];
