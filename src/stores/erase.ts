import type { RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";

/** Where things of an actor or a session are kept. */
export interface ErasableStores {
  readonly sessions?: SessionStore;
  readonly runs?: RunStore;
}

/** How much was removed. */
export interface Erased {
  readonly sessions: number;
  readonly runs: number;
}

/**
 * Removes all that belongs to an actor: runs with their steps and events, also those that are executed
 * now, and sessions with their messages. Done again until nothing is found, since somebody may be writing.
 *
 * @throws what the stores throw; then some may be left, and it can be called again.
 */
export async function eraseActor(
  { app, actor }: { readonly app: string; readonly actor: string },
  { runs, sessions }: ErasableStores,
): Promise<Erased> {
  const erased = { sessions: 0, runs: 0 };
  for (;;) {
    const removed = (await runs?.deleteAll({ app, actor })) ?? 0;
    const page = await sessions?.list({ app, actor, limit: 1_000 });
    const found = page?.sessions ?? [];
    for (const { id } of found) {
      erased.sessions += (await sessions?.delete({ app, id, actor })) === true ? 1 : 0;
    }
    erased.runs += removed;
    if (removed === 0 && found.length === 0) {
      return erased;
    }
  }
}

/**
 * Removes a session and all runs that went on with it.
 *
 * @param actor whose it must be; absent: whosever.
 * @throws what the stores throw; then some may be left, and it can be called again.
 */
export async function eraseSession(
  { app, id, actor }: { readonly app: string; readonly id: string; readonly actor?: string },
  { runs, sessions }: ErasableStores,
): Promise<Erased> {
  const who = actor === undefined ? {} : { actor };
  const removed = (await runs?.deleteAll({ app, session: id, ...who })) ?? 0;
  const had = (await sessions?.delete({ app, id, ...who })) ?? false;
  return { runs: removed, sessions: had ? 1 : 0 };
}
