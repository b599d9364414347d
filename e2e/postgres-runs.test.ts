import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { followRun } from "../src/agent/follow-run.ts";
import type { RunStore } from "../src/agent/run-store.ts";
import type { PostgresStoreOptions } from "../src/stores/postgres-options.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import { postgresSessions } from "../src/stores/postgres-sessions.ts";
import { failureOf } from "../test/failure-of.ts";
import { key, owner, run, step, suspended } from "../test/run-fixture.ts";
import { testRunReaders } from "../test/run-reader-tests.ts";
import { testRunStore } from "../test/run-store-tests.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

let server: PostgresServer;
let url: string;
let opened: AsyncDisposable[] = [];

beforeAll(async () => {
  server = await startPostgres();
  url = server.url();
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  await server.query("DROP SCHEMA IF EXISTS dragoman, other_name CASCADE");
  return async () => {
    await Promise.all(opened.map((store) => store[Symbol.asyncDispose]()));
    opened = [];
  };
});

function open(options: Partial<PostgresStoreOptions> = {}): RunStore {
  const store = postgresRuns({ connectionString: url, ...options });
  opened.push(store);
  return store;
}

describe("what every store promises", () => {
  testRunStore((clock) => postgresRuns({ connectionString: url, clock }));
  testRunReaders((clock) => postgresRuns({ connectionString: url, clock }));
});

test("a reader hears at once what another process writes, and again after its connection was lost", async () => {
  const writer = open({ retryMs: 60_000 });
  await writer.create(run, owner);
  const events = followRun(open({ retryMs: 60_000 }), key);
  await writer.write(key, owner, { events: [step(1)] });
  expect(await events.next()).toMatchObject({ value: step(1) });
  const next = events.next();
  const before = performance.now();
  await writer.write(key, owner, { events: [step(2)] });
  expect(await next).toMatchObject({ value: step(2) });
  expect(performance.now() - before).toBeLessThan(1_500); // sooner than by looking
  await server.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'",
  );
  for (const sequence of [3, 4]) {
    const later = events.next();
    await writer.write(key, owner, { events: [step(sequence)] });
    expect(await later).toMatchObject({ value: step(sequence) });
  }
  const last = events.next();
  await writer.write(key, owner, { status: "completed" });
  expect(await last).toMatchObject({ done: true });
});

test("nothing listens once nobody follows, and runs of other schemas are not heard", async () => {
  const store = open();
  await store.create(run, owner);
  const controller = new AbortController();
  const changes = store.changes({ app: "desk" }, controller.signal)[Symbol.asyncIterator]();
  await changes.next();
  const listeners = () =>
    server.query("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
  expect(await listeners()).toHaveLength(1);
  await open({ schema: "other_name" }).create(run, owner);
  const next = changes.next();
  controller.abort();
  expect(await next).toMatchObject({ done: true });
  await expect.poll(listeners).toEqual([]);
});

test("kill -9 of the whole server loses nothing that was acknowledged, and writes go on after it", async () => {
  const store = open({ retryMs: 60_000 });
  await store.create(run, owner);
  const struck = Promise.withResolvers<void>();
  const writing = (async () => {
    for (let index = 1; index <= 120; index += 1) {
      await store.write(key, owner, {
        steps: [{ kind: "finished", key: `k#${index}`, value: index }],
        events: [step(index)],
      });
      if (index === 20) {
        struck.resolve();
      }
    }
  })();
  await struck.promise;
  await server.kill();
  await server.start();
  await writing;
  expect(await store.steps(key)).toHaveLength(120);
  const events = await store.events(key);
  expect(events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 120 }, (_, index) => index + 1),
  );
});

test("a run that somebody holds is store-locked, and nothing is changed", async () => {
  const store = open({ lockTimeoutMs: 100 });
  await store.create(run, owner);
  await store.write(key, owner, suspended("a"));
  const { default: pg } = await import("pg");
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query("BEGIN; SELECT * FROM dragoman.runs FOR UPDATE");
    const attempts = [
      store.write(key, owner, { events: [step(1)] }),
      store.decide(key, { a: { kind: "approve" } }),
    ];
    for (const failure of await Promise.all(attempts.map(failureOf))) {
      expect(failure).toMatchObject({ code: "store-locked" });
    }
  } finally {
    await holder.end();
  }
  expect(await store.events(key)).toEqual([]);
  await store.decide(key, { a: { kind: "approve" } });
});

test("sessions and runs may share a schema, and the tables of sessions get those of runs", async () => {
  const sessions = postgresSessions({ connectionString: url });
  opened.push(sessions);
  await sessions.create({ app: "desk", id: "s" });
  await server.query(
    `DROP TABLE dragoman.artifact_records, dragoman.artifacts, dragoman.catalogues;
     DROP TABLE dragoman.run_events, dragoman.run_steps, dragoman.runs;
     UPDATE dragoman.store_version SET version = 1`,
  );
  await open().create(run, owner);
  expect(await sessions.get({ app: "desk", id: "s" })).toMatchObject({ id: "s" });
});

test("rows that were altered are store-corrupt", async () => {
  const store = open();
  await store.create(run, owner);
  await store.write(key, owner, {
    steps: [{ kind: "finished", key: "k", value: 1 }],
    events: [step(1)],
  });
  await server.query(
    `UPDATE dragoman.run_steps SET value = '{'; UPDATE dragoman.run_events SET event = '1';
     UPDATE dragoman.runs SET decisions = '[]'`,
  );
  const reads = [store.get(key), store.steps(key), store.events(key)];
  for (const failure of await Promise.all(reads.map(failureOf))) {
    expect(failure).toMatchObject({ code: "store-corrupt" });
  }
});
