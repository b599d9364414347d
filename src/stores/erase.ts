import type { ArtifactFilter, ArtifactStore, ArtifactSummary } from "../agent/artifact-store.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";

/** Where things of an actor or a session are kept. */
export interface ErasableStores {
  readonly sessions?: SessionStore;
  readonly runs?: RunStore;
  readonly artifacts?: ArtifactStore;
}

/** How much was removed. */
export interface Erased {
  readonly sessions: number;
  readonly runs: number;
  readonly artifacts: number;
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
    const files = [...(await idsOf(artifacts, { app, actor }))];
    erased.runs += removed;
    erased.sessions += await removeEach(found, (id) => sessions?.delete({ app, actor, id }));
    erased.artifacts += await removeEach(files, (id) => artifacts?.delete({ app, actor, id }));
    if (removed + found.length + files.length === 0) {
      return erased;
    }
  }
}

/**
 * Removes a session, all runs that went on with it, and the artifacts that no other session has.
 *
 * @param actor whose it must be; absent: whosever, and then artifacts of runs without an actor.
 * @throws what the stores throw; then some may be left, and it can be called again.
 */
export async function eraseSession(
  { app, id, actor }: { readonly app: string; readonly id: string; readonly actor?: string },
  { runs, sessions, artifacts }: ErasableStores,
): Promise<Erased> {
  const who = actor === undefined ? {} : { actor };
  const removed = (await runs?.deleteAll({ app, session: id, ...who })) ?? 0;
  const had = (await sessions?.delete({ app, id, ...who })) ?? false;
  const owner = { app, ...who };
  const own = await idsOf(artifacts, { ...owner, session: id });
  const others = await idsOf(artifacts, owner, ({ session }) => session !== id);
  const files = await removeEach(
    [...own].filter((file) => !others.has(file)),
    (file) => artifacts?.delete({ ...owner, id: file }),
  );
  return { runs: removed, sessions: had ? 1 : 0, artifacts: files };
}

async function idsOf(
  artifacts: ArtifactStore | undefined,
  filter: ArtifactFilter,
  isWanted: (artifact: ArtifactSummary) => boolean = () => true,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let after: string | undefined;
  do {
    const place = after === undefined ? {} : { after };
    const page = await artifacts?.list({ ...filter, limit: 1_000, ...place });
    for (const artifact of page?.artifacts.filter(isWanted) ?? []) {
      ids.add(artifact.id);
    }
    after = page?.next;
  } while (after !== undefined);
  return ids;
}

/** @returns how many were there. */
async function removeEach(
  ids: readonly string[],
  remove: (id: string) => Promise<boolean> | undefined,
): Promise<number> {
  let count = 0;
  for (const id of ids) {
    count += (await remove(id)) === true ? 1 : 0;
  }
  return count;
}
