import { expect, test } from "vitest";
import type { NewRun, RunStore } from "../src/agent/run-store.ts";
import type { Clock } from "../src/base/clock.ts";
import { type ManualClock, manualClock } from "../src/testing/manual-clock.ts";
import { failureOf } from "./failure-of.ts";
import { delta, eventOf, key, owner, run, step, suspended, waitingFor } from "./run-fixture.ts";

/**
 * Tests of what every store of runs promises.
 *
 * @param open gives a store without runs, which is disposed of after the test.
 */
export function testRunStore(open: (clock: Clock) => RunStore): void {
  test.each(Object.entries(promises))("%s", async (_, keepPromise) => {
    const clock = manualClock(1_000);
    await using store = open(clock);
    await keepPromise(store, clock);
  });

  test.each(refusals)("%s is run-invalid", async (_, attempt) => {
    await using store = open(manualClock(1_000));
    await store.create(run, owner);
    expect(await failureOf(attempt(store))).toMatchObject({ code: "run-invalid" });
  });
}

type Promised = (store: RunStore, clock: ManualClock) => Promise<void>;

const promises: Readonly<Record<string, Promised>> = {
  "a run is kept as it begins": async (store) => {
    const begun: NewRun = {
      ...run,
      actor: "ann",
      session: "s",
      input: [{ kind: "text", text: "Zürich 🌍 \u0000 \ud800" }],
    };
    await store.create(begun, owner);
    expect(await store.get(key)).toEqual({
      ...begun,
      status: "running",
      waitingFor: [],
      decisions: {},
      ready: false,
      createdAt: 1_000,
      updatedAt: 1_000,
      sequence: 0,
    });
    expect(await store.steps(key)).toEqual([]);
    expect(await store.events(key)).toEqual([]);
    expect(await store.get({ app: "desk", id: "other" })).toBeUndefined();
  },

  "an id is taken within its application, save for whoever has created it": async (store) => {
    await store.create(run, owner);
    await store.create(run, owner); // nobody knew whether it had arrived
    expect(await failureOf(store.create(run, "owner_2"))).toMatchObject({ code: "run-conflict" });
    await store.create({ ...run, app: "shop" }, "owner_2");
  },

  "an actor reaches no run of another's, nor one of nobody's": async (store) => {
    await store.create({ ...run, actor: "ann" }, owner);
    await store.create({ ...run, id: "free" }, owner);
    for (const id of ["r", "free"]) {
      const bob = { app: "desk", id, actor: "bob" };
      expect(await store.get(bob)).toBeUndefined();
      expect(await store.delete(bob)).toBe(false);
      const attempts = [
        store.steps(bob),
        store.events(bob),
        store.write(bob, owner, {}),
        store.decide(bob, {}),
        store.takeOver(bob, "owner_2"),
      ];
      for (const failure of await Promise.all(attempts.map(failureOf))) {
        expect(failure).toMatchObject({ code: "run-not-found" });
      }
    }
    expect((await store.list({ app: "desk", actor: "bob" })).runs).toEqual([]);
    expect(await store.get({ ...key, actor: "ann" })).toMatchObject({ actor: "ann" });
  },

  "steps come back in the order in which they began, each key once": async (store) => {
    await store.create(run, owner);
    const value = JSON.parse('{ "__proto__": [1.5, null, "\\u0000\\ud800 🌍"], "": "empty" }');
    await store.write(key, owner, {
      steps: [
        { kind: "started", key: "tool:pay#1", tries: 1 },
        { kind: "finished", key: "model#1", value },
      ],
    });
    await store.write(key, owner, {
      steps: [
        { kind: "started", key: "tool:pay#1", tries: 2 },
        { kind: "finished", key: "nothing", value: null },
      ],
    });
    expect(await store.steps(key)).toEqual([
      { kind: "started", key: "tool:pay#1", tries: 2 },
      { kind: "finished", key: "model#1", value },
      { kind: "finished", key: "nothing", value: null },
    ]);
    await store.write(key, owner, {
      steps: [
        { kind: "started", key: "tool:pay#1", tries: 3 },
        { kind: "finished", key: "tool:pay#1", value: "paid" },
      ],
    });
    expect((await store.steps(key))[0]).toEqual({
      kind: "finished",
      key: "tool:pay#1",
      value: "paid",
    });
  },

  "events come back in order; one that is kept already is passed over": async (store) => {
    await store.create(run, owner);
    const first = [step(1), eventOf(3, { kind: "step-end", step: 1 })];
    await store.write(key, owner, { events: first });
    await store.write(key, owner, { events: [...first, step(10_004)] });
    expect(await store.events(key)).toEqual([...first, step(10_004)]);
    expect(await store.events(key, { after: 1 })).toEqual([first[1], step(10_004)]);
    expect(await store.events(key, { after: 1, limit: 1 })).toEqual([first[1]]);
    expect(await store.events(key, { after: 10_004 })).toEqual([]);
    expect(await store.get(key)).toMatchObject({ sequence: 10_004 });
  },

  "pieces of a text are kept joined, and a reader gets what came after what it has seen": async (
    store,
  ) => {
    await store.create(run, owner);
    await store.write(key, owner, {
      events: [step(1), delta(2, "To "), delta(3, "be "), delta(4, "or"), delta(5, "x", "2")],
    });
    expect(await store.events(key)).toEqual([step(1), delta(4, "To be or"), delta(5, "x", "2")]);
    expect(await store.events(key, { after: 2 })).toEqual([delta(4, "be or"), delta(5, "x", "2")]);
    expect(await store.events(key, { after: 3, limit: 1 })).toEqual([delta(4, "or")]);
    expect(await store.events(key, { after: 4 })).toEqual([delta(5, "x", "2")]);
  },

  "a write changes what it names and keeps the rest": async (store, clock) => {
    await store.create(run, owner);
    clock.advance(5);
    const usage = { inputTokens: 3, outputTokens: 4 };
    await store.write(key, owner, { status: "failed", text: "half\u0000", usage });
    await store.write(key, owner, { error: { code: "x", message: "y" }, output: { a: null } });
    expect(await store.get(key)).toMatchObject({
      status: "failed",
      text: "half\u0000",
      usage,
      output: { a: null },
      error: { code: "x", message: "y" },
      createdAt: 1_000,
      updatedAt: 1_005,
    });
  },

  "who took a run over is its owner, and the one before can write no more": async (store) => {
    await store.create(run, owner);
    const taken = await store.takeOver(key, "owner_2");
    expect(taken).toMatchObject({ status: "running", id: "r" });
    const lost = store.write(key, owner, { steps: [], events: [step(1)], text: "mine" });
    expect(await failureOf(lost)).toMatchObject({ code: "run-lost" });
    expect(await store.events(key)).toEqual([]);
    expect(await store.get(key)).not.toHaveProperty("text");
    await store.write(key, "owner_2", { events: [step(1)] });
    expect(await store.takeOver(key, "owner_2")).toMatchObject({ sequence: 1 });
  },

  "a run that has ended is not taken over": async (store) => {
    await store.create(run, owner);
    await store.write(key, owner, { status: "completed" });
    expect(await failureOf(store.takeOver(key, "owner_2"))).toMatchObject({
      code: "run-finished",
      message: expect.stringContaining("completed"),
    });
  },

  "the first decision stands, and a second is told": async (store) => {
    await store.create(run, owner);
    await store.write(key, owner, suspended("a", "b"));
    expect(await store.get(key)).toMatchObject({ ready: false, waitingFor: waitingFor("a", "b") });
    const decided = await store.decide(key, { a: { kind: "approve" } });
    expect(decided).toMatchObject({ ready: true, decisions: { a: { kind: "approve" } } });
    for (const again of [
      store.decide(key, { b: { kind: "approve" }, a: { kind: "deny" } }),
      store.takeOver(key, "owner_2", { a: { kind: "deny" } }),
    ]) {
      expect(await failureOf(again)).toMatchObject({
        code: "decision-refused",
        message: expect.stringContaining('decided before, as "approve"'),
      });
    }
    expect(await failureOf(store.decide(key, { c: { kind: "approve" } }))).toMatchObject({
      code: "decision-refused",
    });
    expect((await store.get(key))?.decisions).toEqual({ a: { kind: "approve" } });
  },

  "what waits still can be decided while the rest goes on": async (store) => {
    await store.create(run, owner);
    await store.write(key, owner, suspended("a", "b"));
    const taken = await store.takeOver(key, "owner_2", { a: { kind: "approve" } });
    expect(taken).toMatchObject({
      status: "running",
      ready: false,
      waitingFor: waitingFor("b"),
      decisions: { a: { kind: "approve" } },
    });
    await store.decide(key, { b: { kind: "deny", reason: "no" } });
    await store.write(key, "owner_2", suspended("b"));
    expect(await store.get(key)).toMatchObject({
      status: "suspended",
      ready: true,
      decisions: { a: { kind: "approve" }, b: { kind: "deny", reason: "no" } },
    });
    expect(await store.takeOver(key, "owner_3")).toMatchObject({ ready: false, waitingFor: [] });
  },

  "of many who decide at once one does": async (store) => {
    await store.create(run, owner);
    await store.write(key, owner, suspended("a"));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        store.decide(key, { a: { kind: "deny", reason: `${index}` } }),
      ),
    );
    const won = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(won).toHaveLength(1);
    expect((await store.get(key))?.decisions).toEqual(won[0]?.decisions);
  },

  "runs are listed by what they are, the last changed first, page by page": async (
    store,
    clock,
  ) => {
    for (const id of ["a", "b", "c", "d", "e"]) {
      const session = id === "b" ? {} : { session: "s" };
      await store.create({ ...run, id, actor: id < "d" ? "ann" : "bob", ...session }, owner);
      clock.advance(id === "b" ? 0 : 1); // "b" and "c" are equally old
    }
    await store.create({ ...run, app: "shop", id: "x" }, owner);
    await store.write({ app: "desk", id: "a" }, owner, suspended("w"));
    await store.decide({ app: "desk", id: "a" }, { w: { kind: "approve" } });
    const idsOf = async (filter: Partial<Parameters<RunStore["list"]>[0]>) =>
      (await store.list({ app: "desk", ...filter })).runs.map(({ id }) => id);
    expect(await idsOf({})).toEqual(["a", "e", "d", "c", "b"]);
    expect(await idsOf({ status: "suspended" })).toEqual(["a"]);
    expect(await idsOf({ ready: true })).toEqual(["a"]);
    expect(await idsOf({ ready: false, actor: "ann" })).toEqual(["c", "b"]);
    expect(await idsOf({ session: "s", actor: "bob" })).toEqual(["e", "d"]);
    const [{ updatedAt: changedBefore = 0 } = {}] = (
      await store.list({ app: "desk", actor: "bob" })
    ).runs;
    expect(await idsOf({ changedBefore })).toEqual(["d", "c", "b"]);
    expect(await idsOf({ changedBefore, session: "s" })).toEqual(["d", "c"]);
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const filter = { app: "desk", actor: "ann", limit: 1 } as const;
      const page = await store.list({ ...filter, ...(after === undefined ? {} : { after }) });
      expect(page.runs).toHaveLength(1);
      ids.push(...page.runs.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(ids).toEqual(["a", "c", "b"]);
  },

  "a deleted run is gone with its steps and events, and its id may be used again": async (
    store,
  ) => {
    await store.create(run, owner);
    const steps = [{ kind: "finished", key: "model#1", value: 1 }] as const;
    await store.write(key, owner, { steps, events: [step(1)] });
    expect(await store.delete(key)).toBe(true);
    expect(await store.delete(key)).toBe(false);
    expect(await failureOf(store.write(key, owner, { steps }))).toMatchObject({
      code: "run-not-found",
    });
    await store.create(run, owner);
    expect(await store.steps(key)).toEqual([]);
    expect(await store.events(key)).toEqual([]);
  },

  "all runs of an actor, or of a session, are removed": async (store) => {
    for (const [id, actor, session] of [
      ["1", "ann", "s"],
      ["2", "ann", "t"],
      ["3", "bob", "s"],
      ["4", "bob", "t"],
    ] as const) {
      await store.create({ ...run, id, actor, session }, owner);
      await store.write({ app: "desk", id }, owner, { events: [step(1)] });
    }
    await store.create({ ...run, app: "shop", id: "1", actor: "ann", session: "s" }, owner);
    expect(await store.deleteAll({ app: "desk", actor: "bob", session: "s" })).toBe(1);
    expect(await store.deleteAll({ app: "desk", actor: "ann" })).toBe(2);
    expect((await store.list({ app: "desk" })).runs.map(({ id }) => id)).toEqual(["4"]);
    expect(await store.deleteAll({ app: "desk", session: "t" })).toBe(1);
    expect((await store.list({ app: "shop" })).runs).toHaveLength(1);
  },

  "runs that ended long ago are pruned, others only where they are named": async (store, clock) => {
    for (const [id, status] of [
      ["old", "completed"],
      ["waits", "suspended"],
      ["new", "completed"],
    ] as const) {
      clock.advance(id === "new" ? 100 : 0);
      await store.create({ ...run, id }, owner);
      await store.write({ app: "desk", id }, owner, { status });
    }
    await store.create({ ...run, app: "shop", id: "old" }, owner);
    expect(await store.prune({ app: "desk", olderThanMs: 100 })).toBe(1);
    expect(await store.prune({ app: "desk", olderThanMs: 101, status: ["suspended"] })).toBe(0);
    expect(await store.prune({ app: "desk", olderThanMs: 100, status: ["suspended"] })).toBe(1);
    expect((await store.list({ app: "desk" })).runs.map(({ id }) => id)).toEqual(["new"]);
    const rest = Array.from({ length: 450 }, (_, index) => ({ ...run, id: `n${index}` }));
    await Promise.all(rest.map((one) => store.create(one, owner)));
    expect(await store.prune({ app: "desk", olderThanMs: 0, status: ["running"] })).toBe(450);
  },

  "what is given and what is read belong to the caller alone": async (store) => {
    const input = [{ kind: "text", text: "as said" } as const];
    const value = { list: [1] };
    await store.create({ ...run, input }, owner);
    await store.write(key, owner, { steps: [{ kind: "finished", key: "k", value }] });
    input.pop();
    value.list.push(2);
    for (let round = 0; round < 2; round += 1) {
      const record = await store.get(key);
      const [kept] = await store.steps(key);
      expect(record?.input).toEqual([{ kind: "text", text: "as said" }]);
      expect(kept).toMatchObject({ value: { list: [1] } });
      // What is read is not frozen, whatever its type says.
      Object.assign(record ?? {}, { input: "changed" });
      Object.assign(kept ?? {}, { value: "changed" });
    }
  },
};

const long = "x".repeat(257);

const refusals: readonly (readonly [string, (store: RunStore) => Promise<unknown>])[] = [
  ["an empty id", (store) => store.get({ app: "desk", id: "" })],
  ["an id that is too long", (store) => store.create({ ...run, id: long }, owner)],
  ["an id with a control character", (store) => store.get({ app: "desk", id: "a\n" })],
  ["half a character", (store) => store.get({ ...key, actor: "\ud800" })],
  ["an agent without a name", (store) => store.create({ ...run, id: "x", agent: "" }, owner)],
  ["a page of none", (store) => store.list({ app: "desk", limit: 0 })],
  ["a page that is too large", (store) => store.list({ app: "desk", limit: 1_001 })],
  ["a cursor of one's own", (store) => store.list({ app: "desk", after: "somewhere" })],
  ["a broken range", (store) => store.events(key, { after: 0.5 })],
  ["a removal of everything", (store) => store.deleteAll({ app: "desk" } as never)],
  ["an age below nothing", (store) => store.prune({ app: "desk", olderThanMs: -1 })],
];
