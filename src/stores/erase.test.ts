import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { owner, run, step } from "../../test/run-fixture.ts";
import type { ArtifactStore } from "../agent/artifact-store.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import { eraseActor, eraseSession } from "./erase.ts";
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
