import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ArtifactError } from "../src/agent/artifact-error.ts";
import type { ArtifactKey, ArtifactStore, NewArtifact } from "../src/agent/artifact-store.ts";
import type { Clock } from "../src/base/clock.ts";
import type { ArtifactStoreLimits } from "../src/stores/artifact-record.ts";
import { type ManualClock, manualClock } from "../src/testing/manual-clock.ts";

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
export const helloId = "sha256-2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
/** An artifact of these tests, whose name is a stranger's. */
export const artifact: NewArtifact = {
  app: "app",
  actor: "ann",
  runId: "run_1",
  session: "s1",
  toolCallId: "c\u0001",
  mediaType: "text/plain",
  name: "../../etc/passwd\u0000",
  bytes: bytesOf("hello"),
};
const { bytes: _, ...facts } = artifact;
const owner = { app: "app", actor: "ann" } as const;
/** Where it is, once it was put. */
export const key: ArtifactKey = { ...owner, id: helloId };

/** The code that an attempt fails with. */
export const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "no error",
    (error: unknown) => (ArtifactError.is(error) ? error.code : error),
  );

/** Makes a store for one test. */
type Open = (
  options: ArtifactStoreLimits & { readonly clock: Clock },
) => ArtifactStore & Partial<AsyncDisposable>;

/**
 * Tests of what every store of artifacts promises.
 *
 * @param open gives a store without artifacts, which is disposed of after the test.
 */
export function testArtifactStore(open: Open): void {
  test.each(Object.entries(promises))("%s", async (_name, keepPromise) => {
    const clock = manualClock(1_000);
    const store = open({ clock });
    try {
      await keepPromise(store, clock);
    } finally {
      await store[Symbol.asyncDispose]?.();
    }
  });

  test("what is too large, or not valid, is refused", async () => {
    const store = open({ clock: manualClock(), maxArtifactBytes: 4 });
    try {
      await refuses(store);
    } finally {
      await store[Symbol.asyncDispose]?.();
    }
  });
}

async function refuses(store: ArtifactStore): Promise<void> {
  expect(await codeOf(store.put(artifact))).toBe("artifact-too-large");
  const small = { ...artifact, bytes: bytesOf("x") };
  const wrong: readonly Promise<unknown>[] = [
    store.put({ ...small, mediaType: "x" }),
    store.put({ ...small, app: "" }),
    store.put({ ...small, actor: "a\u0000" }),
    store.put({ ...small, session: "" }),
    store.put({ ...small, name: "\ud800" }),
    store.list({ app: "app", limit: 0 }),
    store.list({ app: "app", after: "nowhere" }),
    store.release({ app: "" }, { kind: "owner" }),
    store.release(owner, { kind: "run", id: "" }),
    store.prune({ app: "app" }),
    store.prune({ app: "app", olderThanMs: -1 }),
    store.prune({ app: "app", maxTotalBytes: Number.NaN }),
  ];
  for (const attempt of wrong) {
    expect(await codeOf(attempt)).toBe("artifact-invalid");
  }
  expect(await store.get({ ...key, id: "../../etc/passwd" })).toBeUndefined();
  expect(await store.delete({ ...key, id: "sha256-" })).toBe(false);
  expect(await store.list(owner)).toEqual({ artifacts: [] });
}

type Promised = (store: ArtifactStore, clock: ManualClock) => Promise<void>;

const promises: Readonly<Record<string, Promised>> = {
  "P7: a store gives back what was put, by its digest": async (store, clock) => {
    const summary = { ...facts, id: helloId, size: 5, createdAt: clock.now() };
    expect(await store.put(artifact)).toEqual(summary);
    expect(await store.get(key)).toEqual({ ...summary, bytes: bytesOf("hello") });
    expect(await store.list(owner)).toEqual({ artifacts: [summary] });
    clock.advance(5);
    expect(await store.put({ ...artifact, name: "later" })).toEqual(summary);
    const bare = { app: "app", runId: "r", mediaType: "text/plain", bytes: new Uint8Array() };
    const { bytes: nothing, ...rest } = bare;
    const kept = { ...rest, id: (await store.put(bare)).id, size: 0, createdAt: 1_005 };
    expect(await store.get({ app: "app", id: kept.id })).toEqual({ ...kept, bytes: nothing });
  },

  "bytes come back as they were, all 256 of them and many": async (store) => {
    const bytes = new Uint8Array(randomBytes(3_000_000));
    bytes.set(Array.from({ length: 256 }, (_one, index) => index));
    const { id } = await store.put({ ...artifact, bytes });
    expect(id).toBe(`sha256-${createHash("sha256").update(bytes).digest("hex")}`);
    const found = await store.get({ ...owner, id });
    expect(Buffer.compare(found?.bytes ?? bytesOf(""), bytes)).toBe(0);
    expect(found?.bytes.constructor).toBe(Uint8Array);
  },

  "P7: an artifact is shown to its owner and to nobody else": async (store) => {
    await store.put(artifact);
    for (const other of [
      { app: "app", actor: "bob" },
      { app: "app" },
      { app: "other", actor: "ann" },
    ]) {
      expect(await store.get({ ...other, id: helloId })).toBeUndefined();
      expect(await store.delete({ ...other, id: helloId })).toBe(false);
      expect(await store.release(other, { kind: "owner" })).toBe(0);
      expect(await store.release(other, { kind: "session", id: "s1" })).toBe(0);
      expect(await store.list(other)).toEqual({ artifacts: [] });
    }
    await store.put({ ...artifact, actor: "bob" });
    expect(await store.delete(key)).toBe(true);
    expect(await store.delete(key)).toBe(false);
    expect(await store.get(key)).toBeUndefined();
    expect(await store.get({ ...key, actor: "bob" })).toMatchObject({ actor: "bob" });
  },

  "P7: artifacts are listed by run and by session, the newest first, in pages": async (
    store,
    clock,
  ) => {
    for (const [runId, session, text] of [
      ["run_1", "s1", "a"],
      ["run_2", "s1", "b"],
      ["run_2", "s1", "a"],
      ["run_3", "s2", "c"],
    ] as const) {
      clock.advance(1);
      await store.put({ ...artifact, runId, session, bytes: bytesOf(text) });
    }
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

  "who changes bytes that were taken or given does not change what is kept": async (store) => {
    const bytes = bytesOf("hello");
    await store.put({ ...artifact, bytes });
    bytes.fill(0);
    (await store.get(key))?.bytes.fill(0);
    expect((await store.get(key))?.bytes).toEqual(bytesOf("hello"));
  },

  "an artifact is there until nobody holds it any more": async (store) => {
    const { session: _session, ...alone } = artifact;
    await store.put({ ...alone, runId: "run_1" });
    await store.put({ ...alone, runId: "run_2" });
    await store.put({ ...artifact, runId: "run_3" });
    expect(await store.release(owner, { kind: "run", id: "run_1" })).toBe(0);
    // What a session holds is not its run's to let go.
    expect(await store.release(owner, { kind: "run", id: "run_3" })).toBe(0);
    expect(await store.release(owner, { kind: "session", id: "s1" })).toBe(0);
    expect((await store.list(owner)).artifacts.map(({ runId }) => runId)).toEqual(["run_2"]);
    expect(await store.get(key)).toBeDefined();
    expect(await store.release(owner, { kind: "run", id: "run_2" })).toBe(1);
    expect(await store.get(key)).toBeUndefined();
    expect(await store.release(owner, { kind: "run", id: "run_2" })).toBe(0);
  },

  "a session that names what a run has kept already holds it from then on": async (store) => {
    const { session: _session, ...alone } = artifact;
    await store.put(alone);
    expect(await store.put(artifact)).toMatchObject({ session: "s1" });
    expect(await store.put(alone)).toMatchObject({ session: "s1" });
    expect(await store.release(owner, { kind: "run", id: "run_1" })).toBe(0);
    expect(await store.get(key)).toMatchObject({ session: "s1" });
    expect((await store.list(owner)).artifacts).toHaveLength(1);
    expect(await store.release(owner, { kind: "session", id: "s1" })).toBe(1);
  },

  "an owner lets go of everything, be it more than one transaction removes": async (store) => {
    const texts = Array.from({ length: 205 }, (_one, index) => `n${index}`);
    await Promise.all(
      texts.map((text) => store.put({ ...artifact, bytes: bytesOf(text), runId: text })),
    );
    await store.put({ ...artifact, actor: "bob" });
    expect(await store.release(owner, { kind: "owner" })).toBe(205);
    expect(await store.list(owner)).toEqual({ artifacts: [] });
    expect(await store.get({ ...key, actor: "bob" })).toBeDefined();
  },

  "what no run has given for long is pruned, whosever it is": async (store, clock) => {
    await store.put({ ...artifact, bytes: bytesOf("old") });
    await store.put(artifact);
    await store.put({ ...artifact, actor: "bob", bytes: bytesOf("old") });
    await store.put({ ...artifact, app: "other", bytes: bytesOf("old") });
    clock.advance(100);
    await store.put({ ...artifact, runId: "run_2" });
    expect(await store.prune({ app: "app", olderThanMs: 101 })).toBe(0);
    expect(await store.prune({ app: "app", olderThanMs: 100 })).toBe(2);
    expect((await store.list(owner)).artifacts).toMatchObject([{ id: helloId, runId: "run_2" }]);
    expect((await store.get(key))?.bytes).toEqual(bytesOf("hello"));
    expect((await store.list({ app: "other", actor: "ann" })).artifacts).toHaveLength(1);
  },

  "the oldest beyond a size of all are pruned": async (store, clock) => {
    for (const [actor, text] of [
      ["ann", "aaaa"],
      ["bob", "bbbb"],
      ["ann", "cccc"],
      ["bob", "dddd"],
    ] as const) {
      clock.advance(1);
      await store.put({ ...artifact, actor, bytes: bytesOf(text) });
    }
    await store.put({ ...artifact, app: "other", bytes: bytesOf("other") });
    clock.advance(1);
    await store.put({ ...artifact, runId: "run_2", bytes: bytesOf("aaaa") }); // used again
    expect(await store.prune({ app: "app", maxTotalBytes: 16 })).toBe(0);
    expect(await store.prune({ app: "app", maxTotalBytes: 8 })).toBe(2);
    const left = async (actor: string): Promise<readonly (string | undefined)[]> => {
      const { artifacts } = await store.list({ app: "app", actor });
      const found = await Promise.all(
        artifacts.map(({ id }) => store.get({ app: "app", actor, id })),
      );
      return [...new Set(found.map((one) => one && new TextDecoder().decode(one.bytes)))];
    };
    expect(await left("ann")).toEqual(["aaaa"]);
    expect(await left("bob")).toEqual(["dddd"]);
    expect(await store.prune({ app: "app", maxTotalBytes: 0 })).toBe(2);
    expect((await store.list({ app: "other", actor: "ann" })).artifacts).toHaveLength(1);
  },

  "many who put and remove the same bytes at once leave them whole or gone": async (store) => {
    const { session: _session, ...alone } = artifact;
    const work = Array.from({ length: 60 }, async (_one, index) => {
      const runId = `run_${index}`;
      await store.put({ ...alone, runId });
      switch (index % 4) {
        case 0:
          return store.release(owner, { kind: "run", id: runId });
        case 1:
          return store.get(key).then((found) => expect(found?.bytes).toEqual(bytesOf("hello")));
        default:
          return undefined;
      }
    });
    await Promise.all(work);
    expect((await store.get(key))?.bytes).toEqual(bytesOf("hello"));
    expect((await store.list(owner)).artifacts).toHaveLength(45);
    const last = Array.from({ length: 60 }, (_one, index) =>
      store.release(owner, { kind: "run", id: `run_${index}` }),
    );
    const gone = (await Promise.all(last)).reduce((sum, one) => sum + one, 0);
    expect(gone).toBe(1);
    expect(await store.get(key)).toBeUndefined();
  },
};
