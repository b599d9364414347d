import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ArtifactError } from "../agent/artifact-error.ts";
import type { ArtifactStore, NewArtifact } from "../agent/artifact-store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { ArtifactStoreLimits } from "./artifact-record.ts";
import { fileArtifacts } from "./file-artifacts.ts";
import { memoryArtifacts } from "./memory-artifacts.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-artifacts-"));
});
afterAll(() => rm(folder, { recursive: true }));

const clock = manualClock();
let count = 0;
const nextFolder = (): string => {
  count += 1;
  return join(folder, String(count), "artifacts");
};

const kinds: Readonly<Record<string, (limits?: ArtifactStoreLimits) => ArtifactStore>> = {
  memory: (limits) => memoryArtifacts({ ...limits, clock }),
  file: (limits) => fileArtifacts({ ...limits, clock, folder: nextFolder() }),
};

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const helloId = "sha256-2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const hello: NewArtifact = {
  app: "app",
  actor: "ann",
  runId: "run_1",
  session: "s1",
  toolCallId: "c1",
  mediaType: "text/plain",
  name: "../../etc/passwd\u0000",
  bytes: bytesOf("hello"),
};
const { bytes: _, ...facts } = hello;
const key = { app: "app", actor: "ann", id: helloId };

const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "no error",
    (error: unknown) => (ArtifactError.is(error) ? error.code : error),
  );

test.each(Object.entries(kinds))(
  "P7: the %s store gives back what was put, by its digest",
  async (_kind, make) => {
    const store = make();
    const summary = { ...facts, id: helloId, size: 5, createdAt: clock.now() };
    expect(await store.put(hello)).toEqual(summary);
    expect(await store.get(key)).toEqual({ ...summary, bytes: bytesOf("hello") });
    expect(await store.list({ app: "app", actor: "ann" })).toEqual({ artifacts: [summary] });
    expect(await store.put({ ...hello, name: "later" })).toEqual(summary);
  },
);

test.each(Object.entries(kinds))(
  "P7: the %s store shows an artifact to its owner and to nobody else",
  async (_kind, make) => {
    const store = make();
    await store.put(hello);
    for (const owner of [
      { app: "app", actor: "bob" },
      { app: "app" },
      { app: "other", actor: "ann" },
    ]) {
      expect(await store.get({ ...owner, id: helloId })).toBeUndefined();
      expect(await store.delete({ ...owner, id: helloId })).toBe(false);
      expect(await store.list(owner)).toEqual({ artifacts: [] });
    }
    await store.put({ ...hello, actor: "bob" });
    expect(await store.delete(key)).toBe(true);
    expect(await store.delete(key)).toBe(false);
    expect(await store.get(key)).toBeUndefined();
    expect(await store.get({ ...key, actor: "bob" })).toMatchObject({ actor: "bob" });
  },
);

test.each(Object.entries(kinds))(
  "P7: the %s store lists by run and by session, the newest first, in pages",
  async (_kind, make) => {
    const store = make();
    for (const [runId, session, text] of [
      ["run_1", "s1", "a"],
      ["run_2", "s1", "b"],
      ["run_2", "s1", "a"],
      ["run_3", "s2", "c"],
    ] as const) {
      clock.advance(1);
      await store.put({ ...hello, runId, session, bytes: bytesOf(text) });
    }
    const owner = { app: "app", actor: "ann" };
    const runsOf = async (filter: object): Promise<readonly string[]> =>
      (await store.list({ ...owner, ...filter })).artifacts.map(({ runId }) => runId);
    expect(await runsOf({})).toEqual(["run_3", "run_2", "run_2", "run_1"]);
    expect(await runsOf({ session: "s1" })).toEqual(["run_2", "run_2", "run_1"]);
    expect(await runsOf({ runId: "run_2" })).toEqual(["run_2", "run_2"]);
    const first = await store.list({ ...owner, limit: 3 });
    expect(first.artifacts).toHaveLength(3);
    const second = await store.list({ ...owner, limit: 3, after: first.next ?? "" });
    expect(second.artifacts.map(({ runId }) => runId)).toEqual(["run_1"]);
    expect(second.next).toBeUndefined();
  },
);

test.each(Object.entries(kinds))(
  "the %s store refuses what is too large or not valid",
  async (_kind, make) => {
    const store = make({ maxArtifactBytes: 4 });
    expect(await codeOf(store.put(hello))).toBe("artifact-too-large");
    const small = { ...hello, bytes: bytesOf("x") };
    expect(await codeOf(store.put({ ...small, mediaType: "x" }))).toBe("artifact-invalid");
    expect(await codeOf(store.put({ ...small, app: "" }))).toBe("artifact-invalid");
    expect(await codeOf(store.list({ app: "app", limit: 0 }))).toBe("artifact-invalid");
    expect(await store.get({ ...key, id: "../../etc/passwd" })).toBeUndefined();
    expect(await store.delete({ ...key, id: "sha256-" })).toBe(false);
  },
);

test.each(Object.entries(kinds))(
  "who changes bytes that the %s store has taken or given does not change what it keeps",
  async (_kind, make) => {
    const store = make();
    const bytes = bytesOf("hello");
    await store.put({ ...hello, bytes });
    bytes.fill(0);
    (await store.get(key))?.bytes.fill(0);
    expect((await store.get(key))?.bytes).toEqual(bytesOf("hello"));
  },
);

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
