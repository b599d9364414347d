import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SessionStore } from "../src/agent/session-store.ts";
import type { Message } from "../src/message/message.ts";
import type { PostgresStoreOptions } from "../src/stores/postgres-options.ts";
import { postgresSessions } from "../src/stores/postgres-sessions.ts";
import { failureOf } from "../test/failure-of.ts";
import { testSessionStore } from "../test/session-store-tests.ts";
import { testSharedSessionStore } from "../test/session-writers.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

let server: PostgresServer;
let url: string;
let opened: SessionStore[] = [];

beforeAll(async () => {
  server = await startPostgres();
  url = server.url();
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  await server.query(
    "DROP SCHEMA IF EXISTS dragoman, other_name CASCADE; DROP ROLE IF EXISTS clerk",
  );
  return async () => {
    await Promise.all(opened.map((store) => store[Symbol.asyncDispose]()));
    opened = [];
  };
});

function open(options: PostgresStoreOptions = { connectionString: url }): SessionStore {
  const store = postgresSessions(options);
  opened.push(store);
  return store;
}

const say = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const key = { app: "desk", id: "s" } as const;

describe("what every store promises", () => {
  testSessionStore((clock) => postgresSessions({ connectionString: url, clock }));
});

describe("across processes", () => {
  testSharedSessionStore(() => ({ store: open(), place: ["postgres", url] }));
});

/** Appends groups of two, many at once, and ends Postgres processes by `strike` among them. */
async function appendWhile(
  store: SessionStore,
  strike: () => Promise<void>,
  groupIdOf: (group: number) => string | undefined,
): Promise<readonly PromiseSettledResult<number>[]> {
  await store.create(key);
  let acknowledged = 0;
  const reached = Promise.withResolvers<void>();
  const appends = Array.from({ length: 200 }, async (_, group) => {
    const groupId = groupIdOf(group);
    const messages = [say(`${group} a`), say(`${group} b`)];
    const length = await store.append(key, messages, groupId === undefined ? {} : { groupId });
    acknowledged += 1;
    if (acknowledged === 20) {
      reached.resolve();
    }
    return length;
  });
  const settled = Promise.allSettled(appends);
  await reached.promise;
  await strike();
  return settled;
}

/** Every acknowledged group is there where it was said to be, and all are whole and there once. */
async function expectKept(
  store: SessionStore,
  outcomes: readonly PromiseSettledResult<number>[],
): Promise<void> {
  const stored = (await store.messages(key)).map(({ message }) => message);
  const groups = stored.flatMap((message, index) =>
    index % 2 === 0 ? [[message, stored[index + 1]]] : [],
  );
  const texts = groups.map((group) => JSON.stringify(group));
  expect(new Set(texts).size).toBe(texts.length);
  outcomes.forEach((outcome, group) => {
    if (outcome.status === "fulfilled") {
      expect(stored.slice(outcome.value - 2, outcome.value)).toEqual([
        say(`${group} a`),
        say(`${group} b`),
      ]);
    }
  });
  for (const [first, second] of groups) {
    expect(JSON.stringify(second)).toBe(JSON.stringify(first).replace(" a", " b"));
  }
}

/** What serves one of the store's connections. */
async function killBackend(): Promise<void> {
  const rows = await server.query(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'dragoman' AND datname = current_database()",
  );
  process.kill(Number(rows[0]?.["pid"]), "SIGKILL");
}

test("kill -9 of a server process loses no named group, and nobody notices", async () => {
  const store = open({ connectionString: url, retryMs: 60_000 });
  const outcomes = await appendWhile(store, killBackend, (group) => `g${group}`);
  expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(await store.messages(key)).toHaveLength(400);
  await expectKept(store, outcomes);
});

test("kill -9 of a server process loses nothing that was acknowledged without a name", async () => {
  const store = open({ connectionString: url, retryMs: 60_000 });
  const outcomes = await appendWhile(store, killBackend, () => undefined);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") {
      expect(outcome.reason).toMatchObject({ code: "store-unavailable" });
      expect(outcome.reason.message).toMatch(/unknown/);
    }
  }
  await expectKept(store, outcomes);
});

test("kill -9 of the whole server loses nothing either, and the store goes on when it is back", async () => {
  const store = open({ connectionString: url, retryMs: 60_000 });
  const outcomes = await appendWhile(
    store,
    async () => {
      await server.kill();
      await server.start();
    },
    (group) => `g${group}`,
  );
  expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(await store.messages(key)).toHaveLength(400);
  await expectKept(store, outcomes);
});

test("an idle connection that dies ends neither the process nor the store", async () => {
  const store = open();
  await store.create(key);
  await server.kill();
  await server.start();
  expect(await store.get(key)).toMatchObject({ id: "s" });
});

test("many who open an empty database at once make the tables once", async () => {
  const stores = Array.from({ length: 6 }, () => open());
  await Promise.all(stores.map((store, index) => store.create({ app: "desk", id: `s${index}` })));
  expect((await open().list({ app: "desk" })).sessions).toHaveLength(6);
});

/** Does `work` while another client holds the session's row. */
async function whileHeld(work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT * FROM dragoman.sessions WHERE id = 's' FOR UPDATE");
    await work();
  } finally {
    await holder.end();
  }
}

test("a session that somebody holds is store-locked, and nothing is changed", async () => {
  const store = open({ connectionString: url, lockTimeoutMs: 100 });
  await store.create(key);
  await store.create({ app: "desk", id: "free" });
  await whileHeld(async () => {
    const failure = await failureOf(store.append(key, [say("Hi")]));
    expect(failure).toMatchObject({ code: "store-locked" });
    expect(await store.append({ app: "desk", id: "free" }, [say("Hi")])).toBe(1);
  });
  expect(await store.append(key, [say("Hi")])).toBe(1);
});

test("a statement that takes too long is given up", async () => {
  const store = open({ connectionString: url, statementTimeoutMs: 100, lockTimeoutMs: 60_000 });
  await store.create(key);
  await whileHeld(async () => {
    expect(await failureOf(store.append(key, [say("Hi")]))).toMatchObject({
      code: "store-unavailable",
      message: expect.stringMatching(/statement timeout.*Nothing was changed/),
    });
  });
  expect(await store.messages(key)).toEqual([]);
});

test("a pool of the application's is used, made durable, and left open", async () => {
  const pool = new pg.Pool({ connectionString: url, options: "-c synchronous_commit=off" });
  const levels: unknown[] = [];
  const store = postgresSessions({
    schema: "other_name",
    pool: {
      async connect() {
        const client = await pool.connect();
        return {
          async query(text, values) {
            if (text === "COMMIT") {
              levels.push(...(await client.query("SHOW synchronous_commit")).rows);
            }
            return client.query(text, values);
          },
          release: (destroy) => client.release(destroy),
          on: client.on.bind(client),
          off: client.off.bind(client),
        };
      },
    },
  });
  await store.create(key);
  await store.append(key, [say("Hi")]);
  expect(levels).toEqual(levels.map(() => ({ synchronous_commit: "on" })));
  expect(levels).not.toEqual([]);
  await store[Symbol.asyncDispose]();
  expect((await pool.query("SELECT length FROM other_name.sessions")).rows).toEqual([
    { length: "1" },
  ]);
  const plain = open({ pool, schema: "other_name" }); // a pool of pg's is one as it is
  expect(await plain.get(key)).toMatchObject({ length: 1 });
  await pool.end();
});

test("whoever may only read and write needs no right to create, once the tables are there", async () => {
  await open().create(key);
  await server.query(
    `CREATE ROLE clerk LOGIN PASSWORD 'clerk'; GRANT USAGE ON SCHEMA dragoman TO clerk;
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA dragoman TO clerk`,
  );
  const clerkUrl = Object.assign(new URL(url), { username: "clerk", password: "clerk" }).href;
  const clerk = open({ connectionString: clerkUrl });
  expect(await clerk.append(key, [say("Hi")])).toBe(1);
  expect(await clerk.delete(key)).toBe(true);
  const stranger = open({ connectionString: clerkUrl, schema: "elsewhere" });
  expect(await failureOf(stranger.get(key))).toMatchObject({
    code: "store-unavailable",
    message: expect.stringMatching(/Postgres refuses: permission denied/),
  });
});

test("tables of a newer Dragoman are store-too-new, and missing ones store-corrupt", async () => {
  await open().create(key);
  const [current] = await server.query("SELECT version FROM dragoman.store_version");
  await server.query("UPDATE dragoman.store_version SET version = 99");
  expect(await failureOf(open().get(key))).toMatchObject({
    code: "store-too-new",
    message: expect.stringMatching(/99.*Update Dragoman/),
  });
  await server.query(`UPDATE dragoman.store_version SET version = ${current?.["version"]}`);
  await server.query("DROP TABLE dragoman.messages");
  expect(await failureOf(open().messages(key))).toMatchObject({ code: "store-corrupt" });
});

test("a wrong password is told without telling it", async () => {
  const wrong = Object.assign(new URL(url), { password: "hunter2" }).href;
  const failure = await failureOf(open({ connectionString: wrong }).get(key));
  expect(failure).toMatchObject({
    code: "store-unavailable",
    message: expect.stringMatching(/password authentication failed/),
  });
  expect(JSON.stringify(failure) + String(failure)).not.toContain("hunter2");
});

test("a store that was closed has no connection left", async () => {
  const store = postgresSessions({ connectionString: url });
  await store.create(key);
  await store[Symbol.asyncDispose]();
  await expect
    .poll(() =>
      server.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'dragoman'"),
    )
    .toEqual([]);
  expect(await failureOf(store.get(key))).toMatchObject({ code: "store-unavailable" });
});
