import { expect, test } from "vitest";
import { owner, run, suspended } from "../../test/run-fixture.ts";
import { testRunReaders } from "../../test/run-reader-tests.ts";
import { testRunStore } from "../../test/run-store-tests.ts";
import { followRun } from "../agent/follow-run.ts";
import { memoryRuns } from "./memory-runs.ts";

testRunStore((clock) => memoryRuns({ clock }));
testRunReaders((clock) => memoryRuns({ clock }));

test("of too many runs, those that have ended are forgotten before one that waits", async () => {
  const store = memoryRuns({ maxRuns: 2 });
  const ids = async () => (await store.list({ app: run.app })).runs.map(({ id }) => id).sort();
  await store.create({ ...run, id: "waits" }, owner);
  await store.write({ app: run.app, id: "waits" }, owner, suspended("c1"));
  for (const id of ["first", "second"]) {
    await store.create({ ...run, id }, owner);
    await store.write({ app: run.app, id }, owner, { status: "completed" });
  }
  expect(await ids()).toEqual(["second", "waits"]);
  await store.create({ ...run, id: "third" }, owner);
  await store.create({ ...run, id: "fourth" }, owner);
  expect(await ids()).toEqual(["fourth", "third"]);
});

test("whoever follows a run that is forgotten is told that it is gone", async () => {
  const store = memoryRuns({ maxRuns: 1 });
  await store.create(run, owner);
  const following = followRun(store, run).next();
  await store.create({ ...run, id: "other" }, owner);
  await expect(following).rejects.toMatchObject({ code: "run-not-found" });
});
