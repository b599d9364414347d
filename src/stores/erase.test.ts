import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { failureOf } from "../../test/failure-of.ts";
import { owner, run, step } from "../../test/run-fixture.ts";
import type { ArtifactStore } from "../agent/artifact-store.ts";
import { largeFrom } from "../agent/out-of-line.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import { unreliableStore } from "../testing/unreliable-store.ts";
import { Artifact } from "../tool/artifact.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";
import { eraseActor, eraseRun, eraseSession, pruneRuns } from "./erase.ts";
import { memoryArtifacts } from "./memory-artifacts.ts";
import { memoryRuns } from "./memory-runs.ts";
import { memorySessions } from "./memory-sessions.ts";

interface Filled {
  readonly runs: RunStore;
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactStore;
}

/** Two actors with a session, two runs and two files each, of which one is the session's alone. */
async function filled(): Promise<Filled> {
  const stores = { runs: memoryRuns(), sessions: memorySessions(), artifacts: memoryArtifacts() };
  for (const actor of ["ann", "bob"]) {
    const id = `session of ${actor}`;
    await stores.sessions.create({ app: "desk", id, actor });
    await stores.runs.create({ ...run, id: `${actor} 1`, actor, session: id }, owner);
    await stores.runs.create({ ...run, id: `${actor} 2`, actor }, owner);
    const file = { app: "desk", actor, runId: `${actor} 1`, mediaType: "text/plain" };
    const bytes = (text: string) => new TextEncoder().encode(text);
    await stores.artifacts.put({ ...file, session: id, bytes: bytes("alone") });
    await stores.artifacts.put({ ...file, session: id, bytes: bytes("shared") });
    await stores.artifacts.put({ ...file, runId: `${actor} 2`, bytes: bytes("shared") });
  }
  return stores;
}

test("all that belongs to an actor is removed, and nothing of another's", async () => {
  const stores = await filled();
  expect(await eraseActor({ app: "desk", actor: "ann" }, stores)).toEqual({
    sessions: 1,
    runs: 2,
    artifacts: 2,
  });
  const left = await stores.runs.list({ app: "desk" });
  expect(left.runs.map(({ id }) => id).toSorted()).toEqual(["bob 1", "bob 2"]);
  expect((await stores.sessions.list({ app: "desk" })).sessions).toMatchObject([{ actor: "bob" }]);
  expect((await stores.artifacts.list({ app: "desk", actor: "bob" })).artifacts).toHaveLength(3);
  const again = await eraseActor({ app: "desk", actor: "ann" }, stores);
  expect(again).toEqual({ sessions: 0, runs: 0, artifacts: 0 });
});

test("a session is removed with the runs that went on with it, for its actor only", async () => {
  const stores = await filled();
  const id = "session of ann";
  expect(await eraseSession({ app: "desk", id, actor: "bob" }, stores)).toEqual({
    sessions: 0,
    runs: 0,
    artifacts: 0,
  });
  expect(await eraseSession({ app: "desk", id, actor: "ann" }, stores)).toEqual({
    sessions: 1,
    runs: 1,
    artifacts: 1,
  });
  expect((await stores.runs.list({ app: "desk" })).runs).toHaveLength(3);
});

test("a run that is executed while its actor is removed leaves nothing behind", async () => {
  const { runs } = await filled();
  await eraseActor({ app: "desk", actor: "ann" }, { runs });
  const write = runs.write({ app: "desk", id: "ann 1" }, owner, { events: [step(1)] });
  expect(await failureOf(write)).toMatchObject({ code: "run-not-found" });
});

/** Of ann: a conversation of two runs, and one run without a conversation, each with a file and a large value. */
async function worked(): Promise<Filled & { readonly runIds: readonly string[] }> {
  const stores = { runs: memoryRuns(), sessions: memorySessions(), artifacts: memoryArtifacts() };
  const { runs, sessions, artifacts } = stores;
  const runIds: string[] = [];
  for (const [name, session] of [
    ["one", { id: "s" }],
    ["two", { id: "s" }],
    ["three", undefined],
  ] as const) {
    const report = defineTool({
      name: "report",
      description: "A report.",
      execute: () =>
        toolSuccess(`${name} ${"x".repeat(largeFrom)}`, {
          content: [{ kind: "text", text: "Here." }],
          artifacts: [Artifact.inline({ data: name, mediaType: "application/pdf", name })],
        }),
    });
    const model = modelOf({ calls: [{ id: name, name: "report" }] }, "done");
    const settings = { app: "desk", runs, sessions, artifacts: { store: artifacts } };
    const agent = agentOf({ model, tools: [report] }, settings);
    const result = await agent.ask("Go", { actor: "ann", ...(session && { session }) });
    expect(result.status).toBe("completed");
    runIds.push(result.runId);
  }
  return { ...stores, runIds };
}

const namesIn = async ({ artifacts }: Filled): Promise<readonly (string | undefined)[]> =>
  (await artifacts.list({ app: "desk", actor: "ann" })).artifacts
    .map(({ name, mediaType }) => name ?? mediaType)
    .toSorted();

const aLargeValue = "text/plain";

test("runs that are pruned take with them what they alone hold, and leave what is their session's", async () => {
  const stores = await worked();
  const before = await namesIn(stores);
  expect(before.filter((name) => name === aLargeValue).length).toBeGreaterThanOrEqual(3);
  expect(await pruneRuns({ app: "desk", olderThanMs: 1e9 }, stores)).toEqual({
    runs: 0,
    artifacts: 0,
  });
  expect(await namesIn(stores)).toEqual(before);
  const clock = { now: () => Date.now() + 1_000 };
  const age = { app: "desk", olderThanMs: 1_000 };
  await stores.runs.create({ ...run, app: "desk", id: "going", actor: "ann" }, owner);
  const pruned = await pruneRuns(age, stores, { clock });
  expect(pruned).toEqual({ runs: 3, artifacts: before.length - 2 });
  expect(await namesIn(stores)).toEqual(["one", "two"]);
  expect((await stores.runs.list({ app: "desk" })).runs).toMatchObject([{ id: "going" }]);
  await eraseSession({ app: "desk", id: "s" }, stores);
  expect(await namesIn(stores)).toEqual([]);
});

test("a session that is removed takes its runs and all that they hold, and leaves another's", async () => {
  const stores = await worked();
  // Bytes of the session that a run outside of it has given as well.
  const shared = { app: "desk", actor: "ann", mediaType: "application/pdf", name: "shared" };
  const bytes = new TextEncoder().encode("two");
  await stores.artifacts.put({ ...shared, runId: stores.runIds[2] ?? "", bytes });
  const erased = await eraseSession({ app: "desk", id: "s", actor: "ann" }, stores);
  expect(erased).toMatchObject({ sessions: 1, runs: 2 });
  expect((await namesIn(stores)).filter((name) => name !== aLargeValue)).toEqual([
    "shared",
    "three",
  ]);
  expect((await stores.runs.list({ app: "desk" })).runs).toMatchObject([{ id: stores.runIds[2] }]);
  const rest = await eraseRun({ app: "desk", id: stores.runIds[2] ?? "" }, stores);
  expect(rest.runs).toBe(1);
  expect(await namesIn(stores)).toEqual([]);
  expect(await eraseRun({ app: "desk", id: "none" }, stores)).toEqual({ runs: 0, artifacts: 0 });
});

test("a pruning that breaks off finds the rest when it is done again", async () => {
  const stores = await worked();
  const { store: failing, fail } = unreliableStore(stores.runs);
  fail(new Error("the disk is gone"), "delete");
  const age = { app: "desk", olderThanMs: 0 };
  const clock = { now: () => Date.now() + 1 };
  await expect(pruneRuns(age, { ...stores, runs: failing }, { clock })).rejects.toThrow("gone");
  expect(await pruneRuns(age, stores, { clock })).toMatchObject({ runs: 3 });
  expect(await namesIn(stores)).toEqual(["one", "two"]);
});
