import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { testSessionStore } from "../../test/session-store-tests.ts";
import { testSharedSessionStore } from "../../test/session-writers.ts";
import type { SessionStore } from "../agent/session-store.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Message } from "../message/message.ts";
import type { SqliteStoreOptions } from "./sqlite-options.ts";
import { sqliteSessions } from "./sqlite-sessions.ts";

let folder: string;
let file: string;
let opened: SessionStore[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-sessions-"));
  file = join(folder, "sessions.db");
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((store) => store[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
});

function open(options: Partial<SqliteStoreOptions> = {}): SessionStore {
  const store = sqliteSessions({ file, ...options });
  opened.push(store);
  return store;
}

const say = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const key = { app: "desk", id: "s" } as const;

describe("what every store promises", () => {
  testSessionStore((clock) => sqliteSessions({ file, clock }));
});

describe("across processes", () => {
  testSharedSessionStore(() => ({ store: open(), place: ["sqlite", file] }));
});

test("P5: a session outlives the store that wrote it", async () => {
  const written = await open().create({ ...key, state: { plan: "pro" } });
  await open().append(key, [say("Hi")]);
  await Promise.all(opened.splice(0).map((store) => store[Symbol.asyncDispose]()));
  const read = open();
  expect(await read.get(key)).toMatchObject({
    ...written,
    length: 1,
    updatedAt: expect.any(Number),
  });
  expect(await read.messages(key)).toMatchObject([{ message: say("Hi") }]);
});

test("the file is made with its folder, for its owner only, and so are those beside it", async () => {
  file = join(folder, "deep", "er", "sessions.db");
  await open().create(key);
  const names = readdirSync(join(folder, "deep", "er"));
  expect(names.toSorted()).toEqual(["sessions.db", "sessions.db-shm", "sessions.db-wal"]);
  for (const name of names) {
    expect(statSync(join(folder, "deep", "er", name)).mode & 0o777).toBe(0o600);
  }
  expect(statSync(join(folder, "deep")).mode & 0o777).toBe(0o700);
});

test("each commit is synchronised to the disk", async () => {
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  await open().create(key);
  const connection = exec.mock.contexts[0] as DatabaseSync; // what the method was called on
  expect(connection.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
  expect(connection.prepare("PRAGMA synchronous").get()).toMatchObject({ synchronous: 2 });
});

test("of a deleted session nothing is left in the files", async () => {
  const store = open();
  const marker = "a secret between us";
  await store.create({ ...key, title: marker, state: { marker } });
  await store.append(key, [say(marker)]);
  const bytes = (): string =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join();
  expect(bytes()).toContain(marker);
  await store.delete(key);
  expect(bytes()).not.toContain(marker);
});

test("a database that may not grow is store-full, and keeps what was acknowledged", async () => {
  const store = open({ maxBytes: 200_000 });
  await store.create(key);
  let acknowledged = 0;
  let failure: unknown;
  while (failure === undefined) {
    await store.append(key, [say("x".repeat(10_000)), say("end")]).then(
      (length) => {
        acknowledged = length;
      },
      (thrown: unknown) => {
        failure = thrown;
      },
    );
  }
  expect(failure).toMatchObject({
    code: "store-full",
    message: expect.stringContaining(file),
    cause: expect.any(Error),
  });
  expect(acknowledged).toBeGreaterThan(10);
  expect(await store.messages(key)).toHaveLength(acknowledged);
  const more = open();
  expect(await more.append(key, [say("There is space again.")])).toBe(acknowledged + 1);
});

test("a database that another process holds is store-locked after a while, and works again then", async () => {
  await open().create(key);
  const holder = new DatabaseSync(file);
  holder.exec("BEGIN IMMEDIATE");
  try {
    const store = open({ busyTimeoutMs: 50 });
    expect(await failureOf(store.append(key, [say("Hi")]))).toMatchObject({
      code: "store-locked",
      message: expect.stringContaining(file),
    });
    const patient = open({ busyTimeoutMs: 60_000 });
    const waiting = patient.append(key, [say("Hi")]);
    await expect
      .poll(() => failureOf(store.append(key, [say("no")])))
      .toMatchObject({
        code: "store-locked",
      });
    holder.exec("ROLLBACK");
    expect(await waiting).toBe(1);
  } finally {
    holder.close();
  }
});

test("a file that is no database, or a damaged one, is store-corrupt and stays as it is", async () => {
  writeFileSync(file, "These are no pages of a database.".repeat(100));
  const text = readFileSync(file, "utf8");
  expect(await failureOf(open().get(key))).toMatchObject({
    code: "store-corrupt",
    message: expect.stringContaining(file),
  });
  expect(readFileSync(file, "utf8")).toBe(text);

  file = join(folder, "damaged.db");
  const store = sqliteSessions({ file });
  await store.create(key);
  await store.append(key, [say("x".repeat(50_000))]);
  await store[Symbol.asyncDispose]();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x55, 4_096));
  expect(await failureOf(open().messages(key))).toMatchObject({ code: "store-corrupt" });
});

test("a message that was altered is store-corrupt", async () => {
  const store = open();
  await store.create(key);
  await store.append(key, [say("Hi")]);
  const database = new DatabaseSync(file);
  for (const altered of ["{", '{"role":"nobody"}', '{"role":"user","content":[1]}', "null"]) {
    database.prepare("UPDATE messages SET message = ?").run(altered);
    expect(await failureOf(store.messages(key))).toMatchObject({
      code: "store-corrupt",
      message: expect.stringContaining("Message 1"),
    });
  }
  database.exec("UPDATE sessions SET state = '[]'");
  expect(await failureOf(store.get(key))).toMatchObject({ code: "store-corrupt" });
  database.close();
});

test("another program's database is left alone", async () => {
  const other = new DatabaseSync(file);
  other.exec("CREATE TABLE sessions (id INTEGER)");
  other.close();
  const before = readFileSync(file);
  expect(await failureOf(open().create(key))).toMatchObject({
    code: "store-corrupt",
    message: expect.stringContaining("another program"),
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("tables of a newer Dragoman are store-too-new", async () => {
  await using store = open();
  await store.create(key);
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 99");
  database.close();
  expect(await failureOf(open().get(key))).toMatchObject({
    code: "store-too-new",
    message: expect.stringMatching(/99.*Update Dragoman/),
  });
});

test("many who open a new file at once make one database", async () => {
  const stores = Array.from({ length: 8 }, () => open());
  await Promise.all(stores.map((store, index) => store.create({ app: "desk", id: `s${index}` })));
  expect((await open().list({ app: "desk" })).sessions).toHaveLength(8);
});

test("a file that cannot be opened, or was closed, is store-unavailable", async () => {
  writeFileSync(file, "");
  const below = sqliteSessions({ file: join(file, "sessions.db") });
  expect(await failureOf(below.get(key))).toMatchObject({
    code: "store-unavailable",
    message: expect.stringContaining(join(file, "sessions.db")),
  });
  const closed = open();
  await closed.create(key);
  await closed[Symbol.asyncDispose]();
  expect(await failureOf(closed.get(key))).toMatchObject({ code: "store-unavailable" });
});

test.each(["", ":memory:"])("the file %j is a ConfigurationError", (wrong) => {
  expect(() => sqliteSessions({ file: wrong })).toThrow(ConfigurationError);
});
