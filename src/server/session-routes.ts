import type { Caller } from "../ag-ui/handler-options.ts";
import { wholeMessages } from "../agent/session-media.ts";
import type { Session, SessionStore, SessionSummary } from "../agent/session-store.ts";
import { type ErasableStores, eraseSession } from "../stores/erase.ts";
import { artifactStoresOf } from "./artifact-routes.ts";
import { isOwn, notFound, whose } from "./owned.ts";
import { countIn, pageQuery } from "./page-query.ts";
import type { Routes, ServerScope } from "./server-scope.ts";

/** Conversations: what there is of them, what was said, and their end. */
export function addSessionRoutes(routes: Routes, scope: ServerScope): void {
  routes.get("/sessions", async (context) =>
    context.json(await listSessions(context.req.query(), context.get("caller"), scope)),
  );
  routes.get("/sessions/:id", async (context) => {
    const { session } = await findSession(context.req.param("id"), context.get("caller"), scope);
    return context.json(session);
  });
  routes.get("/sessions/:id/messages", async (context) => {
    const found = await findSession(context.req.param("id"), context.get("caller"), scope);
    const { app, id, actor } = found.session;
    const after = countIn(context.req.query(), "after", 0) ?? 0;
    const limit = countIn(context.req.query(), "limit", 1) ?? 100;
    const stored = await found.store.messages({ app, id }, { after, limit });
    const [files] = artifactStoresOf(scope).filter((one) => one.app === app);
    const said = stored.map(({ message }) => message);
    const owner = actor === undefined ? { app } : { app, actor };
    const whole = files && (await wholeMessages(said, { ...owner, artifacts: files.store }));
    const messages = stored.map((one, index) => ({
      ...one,
      message: whole?.[index] ?? one.message,
    }));
    return context.json({ messages });
  });
  routes.delete("/sessions/:id", async (context) => {
    const caller = context.get("caller");
    await deleteSession(await findSession(context.req.param("id"), caller, scope), caller, scope);
    return context.body(null, 204);
  });
}

interface FoundSession {
  readonly session: Session;
  readonly store: SessionStore;
}

/** @throws Refusal 404. */
async function findSession(
  id: string,
  caller: Caller,
  { places }: ServerScope,
): Promise<FoundSession> {
  for (const { app, sessions: store } of places.ofSessions) {
    const session = await store?.get({ app, id, ...whose(caller) });
    if (store !== undefined && session !== undefined && isOwn(session, caller)) {
      return { session, store };
    }
  }
  throw notFound("session");
}

async function listSessions(
  query: Readonly<Record<string, string>>,
  caller: Caller,
  { places }: ServerScope,
): Promise<{ readonly sessions: readonly SessionSummary[]; readonly next?: string }> {
  const wanted = { ...pageQuery(query), ...whose(caller) };
  const own = places.ofSessions;
  const pages = await Promise.all(
    own.map(({ app, sessions }) => sessions?.list({ ...wanted, app })),
  );
  const sessions = pages
    .flatMap((page) => page?.sessions ?? [])
    .filter((session) => isOwn(session, caller))
    .toSorted((one, other) => other.updatedAt - one.updatedAt);
  const next = own.length === 1 ? pages[0]?.next : undefined;
  return { sessions, ...(next === undefined ? {} : { next }) };
}

/** Its runs and files go with it: first the runs that go on, which would write to it. */
async function deleteSession(
  { session, store }: FoundSession,
  caller: Caller,
  scope: ServerScope,
): Promise<void> {
  const { places, tracker } = scope;
  const { app, id } = session;
  const who = whose(caller);
  const files = artifactStoresOf(scope).filter((one) => one.app === app);
  const artifacts: ErasableStores["artifacts"] = {
    async release(owner, holder) {
      const released = await Promise.all(files.map((one) => one.store.release(owner, holder)));
      return released.reduce((sum, count) => sum + count, 0);
    },
  };
  for (const { runs } of places.ofRuns.filter((place) => place.app === app)) {
    const { runs: running } = await runs.list({ app, session: id, status: "running", ...who });
    for (const run of running.map((record) => tracker.find(record.id))) {
      run?.cancel("Its session was deleted.");
      await run?.result;
    }
    await eraseSession({ app, id, ...who }, { runs, artifacts });
  }
  await eraseSession({ app, id, ...who }, { sessions: store, artifacts });
}
