import type { ArtifactHolder, ArtifactOwner, ArtifactStore } from "../agent/artifact-store.ts";
import { checkRunAge } from "../agent/run-limits.ts";
import { hasEnded } from "../agent/run-refusals.ts";
import type { RunAge, RunFilter, RunKey, RunRecord, RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import { type Clock, systemClock } from "../base/clock.ts";

/** Where things of an actor, a session or a run are kept. */
export interface ErasableStores {
  readonly sessions?: SessionStore;
  readonly runs?: RunStore;
  readonly artifacts?: Pick<ArtifactStore, "release"> | undefined;
}

/** How much was removed. */
export interface Erased {
  readonly sessions: number;
  readonly runs: number;
  readonly artifacts: number;
}

/** Where runs are kept, and what they hold. */
export interface RunStores {
  readonly runs: RunStore;
  readonly artifacts?: Pick<ArtifactStore, "release"> | undefined;
}

/**
 * Removes all that belongs to an actor: runs with their steps and events, also those that are executed
 * now, sessions with their messages, and artifacts. Done again until nothing is found, since somebody may be writing.
 *
 * @throws what the stores throw; then some may be left, and it can be called again.
 */
export async function eraseActor(
  { app, actor }: { readonly app: string; readonly actor: string },
  { runs, sessions, artifacts }: ErasableStores,
): Promise<Erased> {
  const erased = { sessions: 0, runs: 0, artifacts: 0 };
  for (;;) {
    const removed = (await runs?.deleteAll({ app, actor })) ?? 0;
    const page = await sessions?.list({ app, actor, limit: 1_000 });
    const found = page?.sessions.map(({ id }) => id) ?? [];
    for (const id of found) {
      erased.sessions += (await sessions?.delete({ app, actor, id })) === true ? 1 : 0;
    }
    const released = (await artifacts?.release({ app, actor }, { kind: "owner" })) ?? 0;
    erased.runs += removed;
    erased.artifacts += released;
    if (removed + found.length + released === 0) {
      return erased;
    }
  }
}

/**
 * Removes a session, all runs that went on with it, also those that are executed now, and the artifacts
 * that it and they hold: what another session or run holds as well stays.
 *
 * @param actor whose it must be; absent: whosever.
 * @throws what the stores throw; then some may be left, and it can be called again.
 */
export async function eraseSession(
  { app, id, actor }: { readonly app: string; readonly id: string; readonly actor?: string },
  { runs, sessions, artifacts }: ErasableStores,
): Promise<Erased> {
  const who = whose(actor);
  const found = await sessions?.get({ app, id, ...who });
  const owners = new Map([[found?.actor ?? actor, ownerOf({ app, actor: found?.actor ?? actor })]]);
  let removed = 0;
  let released = 0;
  const filter = { app, session: id, ...who, limit: 1_000 };
  for (const run of runs === undefined ? [] : await allRuns(runs, filter)) {
    const gone = runs && (await removeRun(run, { runs, artifacts }));
    owners.set(run.actor, ownerOf(run));
    removed += gone?.runs ?? 0;
    released += gone?.artifacts ?? 0;
  }
  for (const owner of owners.values()) {
    released += (await artifacts?.release(owner, { kind: "session", id })) ?? 0;
  }
  const had = (await sessions?.delete({ app, id, ...who })) ?? false;
  return { runs: removed, sessions: had ? 1 : 0, artifacts: released };
}

/**
 * Removes a run, also one that is executed now, and the artifacts that it alone holds. What belongs to
 * its session stays.
 *
 * @throws what the stores throw; then some may be left, and it can be called again.
 */
export async function eraseRun(key: RunKey, stores: RunStores): Promise<Omit<Erased, "sessions">> {
  const run = await stores.runs.get(key);
  return run === undefined ? { runs: 0, artifacts: 0 } : removeRun(run, stores);
}

/**
 * Removes the runs that were kept long enough, as the store's `prune` does, and the artifacts that they
 * alone hold. What belongs to their sessions stays.
 *
 * @param options.clock default: the machine's.
 * @throws what the stores throw; then some may be left, and it can be called again.
 */
export async function pruneRuns(
  { app, olderThanMs, status }: RunAge,
  stores: RunStores,
  { clock = systemClock }: { readonly clock?: Pick<Clock, "now"> } = {},
): Promise<Omit<Erased, "sessions">> {
  checkRunAge({ app, olderThanMs });
  const erased = { runs: 0, artifacts: 0 };
  const changedBefore = Math.max(0, Math.floor(clock.now() - olderThanMs) + 1);
  const all = await allRuns(stores.runs, { app, changedBefore, limit: 1_000 });
  for (const run of all) {
    const isWanted = status?.includes(run.status) ?? hasEnded(run.status);
    if (isWanted && run.updatedAt < changedBefore) {
      const gone = await removeRun(run, stores);
      erased.runs += gone.runs;
      erased.artifacts += gone.artifacts;
    }
  }
  return erased;
}

/**
 * What a run has ended with goes before its record, so that whoever breaks off finds the run again. A run
 * that has not ended may keep something until its record is gone, so it lets go of that after it.
 */
async function removeRun(
  run: FoundRun,
  { runs, artifacts }: RunStores,
): Promise<Omit<Erased, "sessions">> {
  const { app, id } = run;
  const holder: ArtifactHolder = { kind: "run", id };
  const before = (await artifacts?.release(ownerOf(run), holder)) ?? 0;
  const had = await runs.delete({ app, id });
  const after = hasEnded(run.status) ? 0 : await artifacts?.release(ownerOf(run), holder);
  return { runs: had ? 1 : 0, artifacts: before + (after ?? 0) };
}

type FoundRun = Pick<RunRecord, "app" | "id" | "actor" | "status" | "updatedAt">;

/** All of them, before any is removed: pages are found by their last run. */
async function allRuns(runs: RunStore, filter: RunFilter): Promise<readonly FoundRun[]> {
  const found: FoundRun[] = [];
  let after: string | undefined;
  do {
    const page = await runs.list({ ...filter, ...(after === undefined ? {} : { after }) });
    for (const { app, id, actor, status, updatedAt } of page.runs) {
      found.push({ app, id, ...whose(actor), status, updatedAt }); // without what it said
    }
    after = page.next;
  } while (after !== undefined);
  return found;
}

const whose = (actor: string | undefined): { readonly actor?: string } =>
  actor === undefined ? {} : { actor };

const ownerOf = ({
  app,
  actor,
}: {
  readonly app: string;
  readonly actor?: string | undefined;
}): ArtifactOwner => ({ app, ...whose(actor) });
