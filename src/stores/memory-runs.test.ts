import { expect, test } from "vitest";
import { owner, run } from "../../test/run-fixture.ts";
import { testRunReaders } from "../../test/run-reader-tests.ts";
import { testRunStore } from "../../test/run-store-tests.ts";
import { followRun } from "../agent/follow-run.ts";
import { memoryRuns } from "./memory-runs.ts";

testRunStore((clock) => memoryRuns({ clock }));
testRunReaders((clock) => memoryRuns({ clock }));

test("whoever follows a run that is forgotten is told that it is gone", async () => {
  const store = memoryRuns({ maxRuns: 1 });
  await store.create(run, owner);
  await store.write(run, owner, { status: "suspended" });
  const following = followRun(store, run).next();
  await store.create({ ...run, id: "other" }, owner);
  await expect(following).rejects.toMatchObject({ code: "run-not-found" });
});

test("of too many runs those that have ended are forgotten first, then those that wait, and none that goes on", async () => {
  const store = memoryRuns({ maxRuns: 2 });
  const run = (id: string) => ({ id, app: "a", agent: "b", input: "c" });
  const left = async () => (await store.list({ app: "a" })).runs.map(({ id }) => id).toSorted();
  await store.create(run("going-1"), "o");
  await store.create(run("waiting"), "o");
  await store.write({ app: "a", id: "waiting" }, "o", { status: "suspended" });
  await store.create(run("ended"), "o");
  expect(await left()).toEqual(["ended", "going-1"]);
  await store.write({ app: "a", id: "ended" }, "o", { status: "completed" });
  await store.create(run("going-2"), "o");
  expect(await left()).toEqual(["going-1", "going-2"]);
  await store.create(run("going-3"), "o");
  expect(await left()).toEqual(["going-1", "going-2", "going-3"]);
});
