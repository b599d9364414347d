import { expect, test } from "vitest";
import { followRun } from "../src/agent/follow-run.ts";
import type { RunStore } from "../src/agent/run-store.ts";
import type { Clock } from "../src/base/clock.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import { failureOf } from "./failure-of.ts";
import { delta, eventOf, key, owner, run, step, suspended } from "./run-fixture.ts";

/**
 * Tests of what every store of runs promises to those who follow them.
 *
 * @param open gives a store without runs, which is disposed of after the test.
 */
export function testRunReaders(open: (clock: Clock) => RunStore): void {
  test.each(Object.entries(promises))("%s", async (_, keepPromise) => {
    await using store = open(manualClock(1_000));
    await keepPromise(store);
  });
}

const promises: Readonly<Record<string, (store: RunStore) => Promise<void>>> = {
  "a reader gets what is there and then what is written, until the run has ended": async (
    store,
  ) => {
    await store.create(run, owner);
    await store.write(key, owner, { events: [step(1), delta(2, "a"), delta(3, "b")] });
    const early = followRun(store, key);
    const late = followRun(store, key, { after: 2 });
    expect([await early.next(), await early.next()]).toMatchObject([
      { value: step(1) },
      { value: delta(3, "ab") },
    ]);
    expect(await late.next()).toMatchObject({ value: delta(3, "b") });
    const next = [early.next(), late.next()];
    await store.write(key, owner, { ...suspended("a"), events: [step(4)] });
    expect(await Promise.all(next)).toMatchObject([{ value: step(4) }, { value: step(4) }]);
    const last = [early.next(), late.next()];
    await store.takeOver(key, "owner_2", { a: { kind: "approve" } });
    const end = eventOf(5, {
      kind: "run-end",
      status: "completed",
      text: "",
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    await store.write(key, "owner_2", { status: "completed", events: [end] });
    expect(await Promise.all(last)).toMatchObject([{ value: end }, { value: end }]);
    expect(await Promise.all([early.next(), late.next()])).toMatchObject([
      { done: true },
      { done: true },
    ]);
  },

  "a reader leaves when its signal aborts, and is told where the run is deleted": async (store) => {
    await store.create(run, owner);
    const controller = new AbortController();
    const leaving = followRun(store, key, { signal: controller.signal });
    const staying = followRun(store, key);
    const pending = [leaving.next(), staying.next()] as const;
    controller.abort();
    expect(await pending[0]).toMatchObject({ done: true });
    await store.delete(key);
    expect(await failureOf(pending[1])).toMatchObject({ code: "run-not-found" });
    expect(await failureOf(followRun(store, key).next())).toMatchObject({ code: "run-not-found" });
  },

  "whoever listens to an application hears of each of its runs": async (store) => {
    const controller = new AbortController();
    const changes = store.changes({ app: "desk" }, controller.signal)[Symbol.asyncIterator]();
    await changes.next(); // at once
    for (const change of [
      () => store.create(run, owner),
      () => store.write(key, owner, suspended("a")),
      () => store.decide(key, { a: { kind: "approve" } }),
      () => store.delete(key),
    ]) {
      const told = changes.next();
      await change();
      expect(await told).toMatchObject({ done: false });
    }
    controller.abort();
    await expect.poll(async () => (await changes.next()).done).toBe(true);
  },
};
