import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { toolsetOf } from "../../test/toolset-fixture.ts";
import type { DragomanConfig } from "../configure.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { type ManualClock, manualClock } from "../testing/manual-clock.ts";
import type { ScriptedTurn } from "../testing/scripted-model.ts";
import { type UnreliableStore, unreliableStore } from "../testing/unreliable-store.ts";
import { Artifact } from "../tool/artifact.ts";
import { memoryCatalogues } from "../tool/catalogue.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";
import type { Agent } from "./agent.ts";
import { followRun } from "./follow-run.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import { largeFrom } from "./out-of-line.ts";
import { runPatience } from "./run-patience.ts";

/** What a run hears from its model. */
const turns: readonly [ScriptedTurn, ...ScriptedTurn[]] = [
  { calls: [{ id: "w", name: "work" }] },
  { calls: [{ id: "p", name: "pay" }] },
  "done",
];

/** An agent that uses each of its stores, and what makes them hang. */
function deskOf(clock: ManualClock = manualClock()) {
  const stores = {
    runs: unreliableStore(new MemoryRunStore({ clock })),
    sessions: unreliableStore(memorySessions({ clock })),
    artifacts: unreliableStore(memoryArtifacts({ clock })),
    catalogues: unreliableStore(memoryCatalogues()),
  };
  const work = defineTool({
    name: "work",
    description: "Gives a file and much more.",
    async execute(_input, { binding }) {
      const { session } = binding.run;
      await session?.setState("seen", ((await session.getState("seen")) ?? 0) as number);
      const file = Artifact.inline({ data: "1,2", mediaType: "text/csv" });
      return toolSuccess("x".repeat(largeFrom), { artifacts: [file] });
    },
  });
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => "paid" });
  const config: DragomanConfig = {
    clock,
    runs: stores.runs.store,
    sessions: stores.sessions.store,
    artifacts: { store: stores.artifacts.store },
    catalogues: stores.catalogues.store,
    discovery: { servers: true },
  };
  const agent = agentOf(
    {
      model: modelOf(...turns, ...turns),
      tools: [work, pay],
      mcp: [toolsetOf("files", ["read"], { catalogueKey: () => "files" })],
      approval: { tools: { pay: "ask" } },
    },
    config,
  );
  return { stores, agent, clock };
}

type Desk = ReturnType<typeof deskOf>;
type StoreName = keyof Desk["stores"];

/** Every call of a store that a run makes, and whether it is made while the run is taken up. */
const calls: readonly (readonly [StoreName, string, "asked" | "resumed"])[] = [
  ["runs", "create", "asked"],
  ["runs", "write", "asked"],
  ["runs", "get", "resumed"],
  ["runs", "takeOver", "resumed"],
  ["runs", "steps", "resumed"],
  ["runs", "events", "resumed"],
  ["sessions", "get", "asked"],
  ["sessions", "create", "asked"],
  ["sessions", "update", "asked"],
  ["sessions", "messages", "resumed"],
  ["sessions", "append", "resumed"],
  ["artifacts", "put", "asked"],
  ["artifacts", "get", "resumed"],
  ["catalogues", "get", "asked"],
  ["catalogues", "set", "asked"],
];

const session = { id: "s" };

/** Begins a run whose store hangs, and waits until it does. */
async function begin(desk: Desk, [store, method, how]: (typeof calls)[number], options: object) {
  const { agent, stores } = desk;
  // Each has its own methods, and the table names them.
  const unreliable = stores[store] as unknown as UnreliableStore<Record<string, unknown>>;
  if (how === "resumed") {
    await said(desk.agent);
  }
  const first = how === "resumed" ? await waiting(agent) : undefined;
  unreliable.hang(method);
  const given = { actor: "ann", session, ...options };
  const ending =
    first === undefined
      ? agent.ask("Go", given)
      : agent.resume(first.runId, { ...given, decisions: first.decisions });
  await unreliable.untilHanging();
  return { ending, unreliable };
}

/** A run that waits, and what it is to go on with. */
async function waiting(agent: Agent) {
  const result = await agent.ask("Go", { actor: "ann", session });
  const asked = result.status === "suspended" ? result.waitingFor : [];
  const decisions = Object.fromEntries(asked.map(({ id }) => [id, { kind: "approve" } as const]));
  return { runId: result.runId, decisions };
}

/** So that the session has something to be read. */
async function said(agent: Agent): Promise<void> {
  const { runId, decisions } = await waiting(agent);
  await agent.resume(runId, { actor: "ann", session, decisions });
}

/** Lets what a run has still to do be done, and what it waits for at its end be given up. */
async function toTheEnd<Value>(ending: Promise<Value>, clock: ManualClock): Promise<Value> {
  let isOver = false;
  const settled = ending.finally(() => {
    isOver = true;
  });
  for (let late = 0; !isOver && late < 10 * runPatience.lateEnd; late += runPatience.lateEnd / 5) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(runPatience.lateEnd / 5);
  }
  return settled;
}

test.each(calls)("a run is cancelled though its %s store hangs in %s (%s)", async (...call) => {
  const desk = deskOf();
  const controller = new AbortController();
  const { ending } = await begin(desk, call, { signal: controller.signal });
  controller.abort("enough");
  const result = await toTheEnd(ending, desk.clock);
  expect(result).toMatchObject({ status: "cancelled", reason: "enough" });
});

test.each(calls)("a deadline ends a run whose %s store hangs in %s (%s)", async (...call) => {
  const desk = deskOf();
  const before = desk.clock.now();
  const { ending } = await begin(desk, call, { timeoutMs: 1_000 });
  desk.clock.advance(1_000);
  const result = await toTheEnd(ending, desk.clock);
  expect(result).toMatchObject({ status: "failed", error: { code: "deadline-exceeded" } });
  // What is written at the end is waited for a little: a session's messages, then the run's end.
  expect(desk.clock.now() - before).toBeLessThanOrEqual(1_000 + 3 * runPatience.lateEnd);
});

test("a run that was given up before it was kept is not there when the store is well again", async () => {
  const desk = deskOf();
  const controller = new AbortController();
  const call = ["runs", "create", "asked"] as const;
  const { ending, unreliable } = await begin(desk, call, { signal: controller.signal });
  controller.abort();
  expect(await ending).toMatchObject({ status: "cancelled" });
  unreliable.recover();
  const { store } = desk.stores.runs;
  await expect.poll(async () => (await store.list({ app: "default" })).runs).toEqual([]);
});

test("a run whose signal is aborted already asks no store for anything", async () => {
  const { agent, stores } = deskOf();
  stores.runs.hang();
  const result = await agent.ask("Go", { signal: AbortSignal.abort("no") });
  expect(result).toMatchObject({ status: "cancelled", reason: "no" });
  expect(stores.runs.hanging).toEqual([]);
});

test("a run whose end its store does not take is given up after a while, and is failed", async () => {
  const { agent, stores, clock } = deskOf();
  const { runId, decisions } = await waiting(agent);
  stores.sessions.hang("append");
  const ending = agent.resume(runId, { actor: "ann", session, decisions });
  await stores.sessions.untilHanging();
  stores.runs.hang("write"); // all steps are kept
  stores.sessions.recover();
  await stores.runs.untilHanging();
  clock.advance(runPatience.end);
  expect(await ending).toMatchObject({ status: "failed", error: { code: "store-unavailable" } });
});

test("catalogues that hang cost a little time, and artifacts a notice, where nobody ends the run", async () => {
  const { agent, stores, clock } = deskOf();
  stores.catalogues.hang();
  const asking = agent.ask("Go", { actor: "ann" });
  let isOver = false;
  for (let count = 1; !isOver; count += 1) {
    // No time passes but that which is waited for catalogues.
    isOver = await Promise.race([
      asking.then(() => true),
      stores.catalogues.untilHanging(count).then(() => false),
    ]);
    clock.advance(isOver ? 0 : 5_000);
  }
  expect(await asking).toMatchObject({ status: "suspended" });
});

test("a large value whose store hangs fails the run after the time of artifacts", async () => {
  const { agent, stores, clock } = deskOf();
  const asking = agent.ask("Go", { actor: "ann" });
  stores.artifacts.hang("put");
  await stores.artifacts.untilHanging();
  clock.advance(30_000);
  expect(await asking).toMatchObject({
    status: "failed",
    error: { code: "artifact-store-failed", message: expect.stringContaining("30000") },
  });
});

test.each(["get", "events"])(
  "whoever follows a run leaves though the store hangs in %s",
  async (method) => {
    const { agent, stores } = deskOf();
    const { runId } = await agent.ask("Go");
    stores.runs.hang(method as "get"); // one of its methods
    const controller = new AbortController();
    const key = { app: "default", id: runId };
    const next = followRun(stores.runs.store, key, { signal: controller.signal }).next();
    await stores.runs.untilHanging();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  },
);
