import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bytesOf,
  codeOf,
  artifact as hello,
  helloId,
  key,
  testArtifactStore,
} from "../../test/artifact-store-tests.ts";
import { testSharedArtifactStore } from "../../test/artifact-writers.ts";
import { fileArtifacts } from "./file-artifacts.ts";
import { memoryArtifacts } from "./memory-artifacts.ts";
import { sqliteArtifacts } from "./sqlite-artifacts.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-artifacts-"));
});
afterAll(() => rm(folder, { recursive: true }));

let count = 0;
const nextFolder = (): string => {
  count += 1;
  return join(folder, String(count), "artifacts");
};

describe("in memory", () => testArtifactStore((options) => memoryArtifacts(options)));
describe("as files", () =>
  testArtifactStore((options) => fileArtifacts({ ...options, folder: nextFolder() })));
describe("on SQLite", () =>
  testArtifactStore((options) =>
    sqliteArtifacts({ ...options, file: join(nextFolder(), "a.db") }),
  ));

describe("across processes", () => {
  testSharedArtifactStore(() => ["files", nextFolder()]);
  testSharedArtifactStore(() => ["sqlite", join(nextFolder(), "a.db")]);
});

test("the memory store says when it is full, and has room again after a deletion", async () => {
  const store = memoryArtifacts({ maxTotalBytes: 7 });
  await store.put(hello);
  const more = { ...hello, bytes: bytesOf("abc") };
  expect(await codeOf(store.put(more))).toBe("artifact-too-large");
  await store.delete(key);
  expect(await codeOf(store.put(more))).toBe("no error");
});

test("P7: the file store names files by digests alone, whole and for this user only", async () => {
  const place = nextFolder();
  await fileArtifacts({ folder: place }).put(hello);
  const names = (await readdir(place, { recursive: true })).toSorted();
  expect(names).toHaveLength(3);
  for (const name of names) {
    expect(name).toMatch(/^[0-9a-f]{64}(?:\/sha256-[0-9a-f]{64}\.(?:bytes|[0-9a-f]{64}\.json))?$/);
  }
  expect(await fileArtifacts({ folder: place }).get(key)).toMatchObject({
    bytes: bytesOf("hello"),
  });
});

/** A file as it was left so many minutes ago. */
async function leave(path: string, content: string, minutes: number): Promise<void> {
  await writeFile(path, content);
  const time = Date.now() / 1_000 - minutes * 60;
  await utimes(path, time, time);
}

test("what interrupted writes have left is removed after an hour, and what was put aside is put back", async () => {
  const place = nextFolder();
  const store = fileArtifacts({ folder: place });
  await store.put(hello);
  const [owner = ""] = await readdir(place);
  const at = (name: string): string => join(place, owner, name);
  const names = await readdir(join(place, owner));
  const other = `sha256-${"0".repeat(64)}`;
  await leave(at(`${other}.bytes.1.tmp`), "half of it", 61);
  await leave(at(`${helloId}.bytes.2.tmp`), "hel", 61);
  await leave(at(`${other}.bytes.3.tmp`), "being written", 59);
  await leave(at(`${other}.bytes`), "without a record", 61);
  await leave(at(`sha256-${"1".repeat(64)}.run.json`), "{}", 61);
  // One who looked whether it is wanted any longer died in doing so.
  await rename(at(`${helloId}.bytes`), at(`${helloId}.bytes.4.tmp`));
  await leave(at(`${helloId}.bytes.4.tmp`), "hello", 61);
  expect((await store.get(key))?.bytes).toEqual(bytesOf("hello"));
  expect(await store.prune({ app: "app", maxTotalBytes: 5 })).toBe(0);
  const left = (await readdir(join(place, owner))).toSorted();
  expect(left).toEqual([...names, `${other}.bytes.3.tmp`].toSorted());
  expect((await store.get(key))?.bytes).toEqual(bytesOf("hello"));
  await rm(at(`${other}.bytes.3.tmp`));
  expect(await store.prune({ app: "app", maxTotalBytes: 0 })).toBe(1);
  expect(await readdir(place)).toEqual([]);
});

test("who reads and puts while artifacts are pruned gets them whole or not at all", async () => {
  const place = nextFolder();
  const [one, other] = [fileArtifacts({ folder: place }), fileArtifacts({ folder: place })];
  let isOver = false;
  const pruning = (async () => {
    while (!isOver) {
      await other.prune({ app: "app", olderThanMs: 0 });
    }
  })();
  let read = 0;
  for (let index = 0; index < 50; index += 1) {
    await one.put({ ...hello, runId: `run_${index}` });
    const found = await one.get(key);
    read += found === undefined ? 0 : 1;
    expect(found?.bytes ?? bytesOf("hello")).toEqual(bytesOf("hello"));
  }
  isOver = true;
  await pruning;
  expect(read).toBeGreaterThan(0);
  await one.put({ ...hello, runId: "last" });
  expect(await one.get(key)).toMatchObject({ runId: "last" });
  expect(await other.prune({ app: "app", olderThanMs: 0 })).toBe(1);
});

test("bytes that were changed on the disk are not given for what was stored", async () => {
  const place = nextFolder();
  const store = fileArtifacts({ folder: place });
  await store.put(hello);
  const [owner = ""] = await readdir(place);
  await writeFile(join(place, owner, `${helloId}.bytes`), "other");
  expect(await codeOf(store.get(key))).toBe("artifact-store-failed");
});

test("many who put and delete the same bytes at once leave them whole or gone", async () => {
  const place = nextFolder();
  const stores = [fileArtifacts({ folder: place }), fileArtifacts({ folder: place })];
  const work = Array.from({ length: 100 }, async (_unused, index) => {
    const store = stores[index % 2] ?? stores[0];
    return index % 5 === 4 ? store?.delete(key) : store?.put({ ...hello, runId: `run_${index}` });
  });
  await Promise.all(work);
  const last = await stores[0]?.put({ ...hello, runId: "last" });
  expect(last).toMatchObject({ id: helloId });
  expect((await stores[1]?.get(key))?.bytes).toEqual(bytesOf("hello"));
  const left = await readdir(place, { recursive: true });
  expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a folder that cannot be used is an error that names it", async () => {
  const place = nextFolder();
  await mkdir(join(place, ".."), { recursive: true });
  await writeFile(place, "a file");
  const attempt = fileArtifacts({ folder: place }).put(hello);
  await expect(attempt).rejects.toThrow(place);
  expect(await readFile(place, "utf8")).toBe("a file");
});
