import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { systemClock } from "../base/clock.ts";
import type { CredentialStore } from "../base/credential-store.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { EncryptedFileStore } from "./encrypted-file-store.ts";
import { withFileLock } from "./file-lock.ts";
import { MemoryCredentialStore } from "./memory-credential-store.ts";

const secretKey = "a key of some length";
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-"));
});

afterEach(() => rm(folder, { recursive: true }));

const pathOf = (): string => join(folder, "credentials");

const stores: readonly [string, () => CredentialStore][] = [
  ["memory", () => new MemoryCredentialStore()],
  ["encrypted file", () => new EncryptedFileStore({ path: pathOf(), secretKey })],
];

test.each(stores)(
  "the %s store reads what was written and forgets what was deleted",
  async (_name, open) => {
    const store = open();
    expect(await store.read("a")).toBeUndefined();
    await store.write("a", { token: "1" });
    await store.write("__proto__", { token: "2" });
    await store.write("a", { token: "3" });
    expect([
      await store.read("a"),
      await store.read("__proto__"),
      await store.read("toString"),
    ]).toEqual([{ token: "3" }, { token: "2" }, undefined]);
    await store.delete("a");
    await store.delete("never there");
    expect(await store.read("a")).toBeUndefined();
  },
);

test.each([
  ["memory", (clock: ReturnType<typeof manualClock>) => new MemoryCredentialStore({ clock })],
  [
    "encrypted file",
    (clock: ReturnType<typeof manualClock>) =>
      new EncryptedFileStore({ path: pathOf(), secretKey, clock }),
  ],
])("the %s store gives no record whose time is over", async (_name, open) => {
  const clock = manualClock();
  const store = open(clock);
  await store.write("a", { token: "1" }, 1_000);
  clock.advance(999);
  expect(await store.read("a")).toEqual({ token: "1" });
  clock.advance(1);
  expect(await store.read("a")).toBeUndefined();
});

test.each(stores)(
  "the %s store lets work for one key be done one after another, also after a failure",
  async (_name, open) => {
    const store = open();
    const steps: string[] = [];
    const work = (name: string, fails: boolean) => async (): Promise<void> => {
      steps.push(`${name} begins`);
      await store.write("x", { name });
      steps.push(`${name} ends`);
      if (fails) {
        throw new Error(name);
      }
    };
    await Promise.allSettled([
      store.exclusively("k", work("a", true)),
      store.exclusively("k", work("b", false)),
    ]);
    expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  },
);

test("the file outlives the store, shows nothing, and is its owner's only", async () => {
  await new EncryptedFileStore({ path: pathOf(), secretKey }).write("name-1", { token: "hunter2" });
  const text = await readFile(pathOf(), "utf8");
  expect(text).not.toMatch(/hunter2|name-1/);
  expect((await stat(pathOf())).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["credentials"]);
  const store = new EncryptedFileStore({ path: pathOf(), secretKey });
  expect(await store.read("name-1")).toEqual({ token: "hunter2" });
  expect(inspect(store, { depth: 9, showHidden: true })).not.toMatch(/hunter2|a key of/);
});

test("the same records are never encrypted to the same bytes", async () => {
  const store = new EncryptedFileStore({ path: pathOf(), secretKey });
  await store.write("a", { token: "1" });
  const first = JSON.parse(await readFile(pathOf(), "utf8"));
  await store.write("a", { token: "1" });
  const second = JSON.parse(await readFile(pathOf(), "utf8"));
  expect(second.iv).not.toBe(first.iv);
  expect(second.data).not.toBe(first.data);
});

test("another key, and any changed byte, is an error", async () => {
  const store = new EncryptedFileStore({ path: pathOf(), secretKey });
  await store.write("a", { token: "hunter2" });
  const other = new EncryptedFileStore({ path: pathOf(), secretKey: "another key, as long" });
  expect(await failureOf(other.read("a"))).toMatchObject({ code: "store-unreadable" });
  expect(await failureOf(other.write("a", {}))).toMatchObject({ code: "store-unreadable" });
  const file = JSON.parse(await readFile(pathOf(), "utf8"));
  for (const name of ["salt", "iv", "tag", "data"]) {
    const bytes = Buffer.from(file[name], "base64");
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    await writeFile(pathOf(), JSON.stringify({ ...file, [name]: bytes.toString("base64") }));
    expect(await failureOf(store.read("a")), name).toMatchObject({ code: "store-unreadable" });
  }
  const short = Buffer.from(file.tag, "base64").subarray(0, 4).toString("base64");
  for (const text of [
    JSON.stringify({ ...file, tag: short }),
    JSON.stringify({ ...file, format: "x" }),
    "",
    "{}",
  ]) {
    await writeFile(pathOf(), text);
    expect(await failureOf(store.read("a")), text).toMatchObject({ code: "store-unreadable" });
  }
});

test.each([undefined, "", "too short"])("the key %j is a ConfigurationError", (key) => {
  const open = (): unknown => new EncryptedFileStore({ path: pathOf(), secretKey: key });
  expect(open).toThrow(ConfigurationError);
  expect(open).toThrow(/DRAGOMAN_SECRET_KEY/);
});

test("processes that write at once lose nothing", async () => {
  const script = join(import.meta.dirname, "../../test/credential-writer.ts");
  const children = ["a", "b", "c"].map((name) => fork(script, [pathOf(), secretKey, name, "10"]));
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
  expect(codes).toEqual([0, 0, 0]);
  const store = new EncryptedFileStore({ path: pathOf(), secretKey });
  for (const name of ["a", "b", "c"]) {
    expect(await store.read(`${name}9`)).toEqual({ name });
  }
  expect(await store.read("count")).toEqual({ count: 30 });
  expect(await readdir(folder)).toEqual(["credentials"]);
});

test("a lock that a dead process has left is taken over after a minute", async () => {
  const lock = join(folder, "lock");
  await writeFile(lock, "somebody");
  const old = new Date(Date.now() - 61_000);
  await utimes(lock, old, old);
  expect(await withFileLock(lock, systemClock, async () => "done")).toBe("done");
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that another process has taken over stays theirs", async () => {
  const lock = join(folder, "lock");
  await withFileLock(lock, systemClock, () => writeFile(lock, "somebody"));
  expect(await readFile(lock, "utf8")).toBe("somebody");
});

test("a lock that somebody holds for two minutes is an error, and stays theirs", async () => {
  const lock = join(folder, "lock");
  await writeFile(lock, "somebody");
  let now = Date.now();
  const clock = {
    now: () => now,
    startTimer(callback: () => void) {
      now += 50_000;
      const then = new Date(now); // its holder is alive
      void utimes(lock, then, then).then(callback);
      return () => {};
    },
  };
  const error = await failureOf(withFileLock(lock, clock, async () => "done"));
  expect(error).toMatchObject({ code: "store-locked" });
  expect(await readFile(lock, "utf8")).toBe("somebody");
});
