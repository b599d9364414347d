import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { delta, key, owner, run, step, suspended } from "../../test/run-fixture.ts";
import { testRunReaders } from "../../test/run-reader-tests.ts";
import { testRunStore } from "../../test/run-store-tests.ts";
import { followRun } from "../agent/follow-run.ts";
import type { RunStore } from "../agent/run-store.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { SqliteStoreOptions } from "./sqlite-options.ts";
import { sqliteRuns } from "./sqlite-runs.ts";
import { sqliteSessions } from "./sqlite-sessions.ts";

let folder: string;
let file: string;
let opened: AsyncDisposable[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-runs-"));
  file = join(folder, "runs.db");
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((store) => store[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
});

function open(options: Partial<SqliteStoreOptions> = {}): RunStore {
  const store = sqliteRuns({ file, ...options });
  opened.push(store);
  return store;
}

describe("what every store promises", () => {
  testRunStore((clock) => sqliteRuns({ file, clock }));
  testRunReaders((clock) => sqliteRuns({ file, clock }));
});

test("a reader follows what another connection writes", async () => {
  const writer = open();
  await writer.create(run, owner);
  const events = followRun(open(), key);
  await writer.write(key, owner, { events: [step(1)] });
  expect(await events.next()).toMatchObject({ value: step(1) });
  for (const sequence of [2, 3]) {
    const next = events.next();
    await writer.write(key, owner, { events: [step(sequence)] });
    expect(await next).toMatchObject({ value: step(sequence) });
  }
  const next = events.next();
  await writer.write(key, owner, { status: "completed" });
  expect(await next).toMatchObject({ done: true });
});

test("nothing looks at the file once nobody follows", async () => {
  const store = open();
  await store.create(run, owner);
  const looks = vi.spyOn(DatabaseSync.prototype, "prepare");
  const events = followRun(store, key);
  const next = events.next();
  await store.write(key, owner, { events: [step(1)] });
  await next;
  await events.return();
  const timers = vi.spyOn(globalThis, "setTimeout");
  await store.write(key, owner, { events: [step(2)] });
  expect(timers).not.toHaveBeenCalled();
  expect(looks).toHaveBeenCalled();
});

test("sessions and runs may share a file, and a file of sessions gets the tables of runs", async () => {
  const database = new DatabaseSync(file);
  const { sqliteMigrations, applicationId } = await import("./sqlite-schema.ts");
  database.exec(sqliteMigrations[0] ?? "");
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
  database.exec(
    "INSERT INTO sessions (app, id, state, length, created_at, updated_at) VALUES ('desk', 's', '{}', 0, 1, 1)",
  );
  database.close();
  const store = open();
  await store.create(run, owner);
  const sessions = sqliteSessions({ file });
  opened.push(sessions);
  expect(await sessions.get({ app: "desk", id: "s" })).toMatchObject({ createdAt: 1 });
  expect(await store.get(key)).toMatchObject({ agent: "tester" });
});

test("each commit is synchronised to the disk", async () => {
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  await open().create(run, owner);
  const connection = exec.mock.contexts[0] as DatabaseSync; // what the method was called on
  expect(connection.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
  expect(connection.prepare("PRAGMA synchronous").get()).toMatchObject({ synchronous: 2 });
});

test.each(["delete", "deleteAll", "prune"])(
  "after %s nothing is left in the files",
  async (how) => {
    const store = open();
    const marker = "a secret between us";
    await store.create({ ...run, actor: "ann", input: marker }, owner);
    await store.write(key, owner, {
      status: "completed",
      text: marker,
      steps: [{ kind: "finished", key: "model#1", value: marker }],
      events: [delta(1, marker)],
    });
    const bytes = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join();
    expect(bytes()).toContain(marker);
    const removals: Readonly<Record<string, () => Promise<unknown>>> = {
      delete: () => store.delete(key),
      deleteAll: () => store.deleteAll({ app: "desk", actor: "ann" }),
      prune: () => store.prune({ app: "desk", olderThanMs: 0 }),
    };
    await removals[how]?.();
    expect(bytes()).not.toContain(marker);
  },
);

test("a database that may not grow is store-full, and keeps what was acknowledged", async () => {
  const store = open({ maxBytes: 400_000 });
  await store.create(run, owner);
  let acknowledged = 0;
  let failure: unknown;
  while (failure === undefined) {
    const steps = [
      { kind: "finished", key: `a#${acknowledged}`, value: "x".repeat(20_000) },
      { kind: "finished", key: `b#${acknowledged}`, value: 1 },
    ] as const;
    await store.write(key, owner, { steps, events: [step(acknowledged + 1)] }).then(
      () => {
        acknowledged += 1;
      },
      (thrown: unknown) => {
        failure = thrown;
      },
    );
  }
  expect(failure).toMatchObject({ code: "store-full", message: expect.stringContaining(file) });
  expect(acknowledged).toBeGreaterThan(5);
  expect(await store.steps(key)).toHaveLength(2 * acknowledged);
  expect(await store.events(key)).toHaveLength(acknowledged);
  expect(await store.get(key)).toMatchObject({ sequence: acknowledged });
});

test("a database that another process holds is store-locked after a while, and works again then", async () => {
  await open().create(run, owner);
  const holder = new DatabaseSync(file);
  holder.exec("BEGIN IMMEDIATE");
  try {
    const store = open({ busyTimeoutMs: 50 });
    expect(await failureOf(store.write(key, owner, { events: [step(1)] }))).toMatchObject({
      code: "store-locked",
      message: expect.stringContaining(file),
    });
    expect(await store.events(key)).toEqual([]);
    holder.exec("ROLLBACK");
    await store.write(key, owner, { events: [step(1)] });
    expect(await store.events(key)).toEqual([step(1)]);
  } finally {
    holder.close();
  }
});

test("a file that is no database, or rows that were altered, are store-corrupt", async () => {
  writeFileSync(file, "These are no pages of a database.".repeat(100));
  expect(await failureOf(open().get(key))).toMatchObject({ code: "store-corrupt" });
  file = join(folder, "altered.db");
  const store = open();
  await store.create(run, owner);
  await store.write(key, owner, {
    ...suspended("a"),
    steps: [{ kind: "finished", key: "k", value: 1 }],
    events: [step(1)],
  });
  const database = new DatabaseSync(file);
  database.exec("UPDATE run_steps SET value = '{'; UPDATE run_events SET event = '[]'");
  database.exec("UPDATE runs SET waiting = 'null'");
  database.close();
  const reads = [store.get(key), store.steps(key), store.events(key), store.decide(key, {})];
  for (const failure of await Promise.all(reads.map(failureOf))) {
    expect(failure).toMatchObject({ code: "store-corrupt" });
  }
});

test("a store that was closed is store-unavailable, and its readers are told", async () => {
  const store = open();
  await store.create(run, owner);
  const reading = followRun(store, key).next();
  await store[Symbol.asyncDispose]();
  expect(await failureOf(store.get(key))).toMatchObject({ code: "store-unavailable" });
  expect(await failureOf(reading)).toMatchObject({ code: "store-unavailable" });
});

test.each(["", ":memory:"])("the file %j is a ConfigurationError", (wrong) => {
  expect(() => sqliteRuns({ file: wrong })).toThrow(ConfigurationError);
});
