import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { modelOf } from "../../test/agent-fixture.ts";
import { failureOf } from "../../test/failure-of.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import type { Agent } from "../agent/agent.ts";
import type { AgentDefinition } from "../agent/agent-definition.ts";
import { followRun } from "../agent/follow-run.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { untilAborted } from "../base/abort.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { sqliteRuns } from "../stores/sqlite-runs.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import { type LocalExecutorOptions, openLocalExecutor } from "./local-executor.ts";

const yes: Decision = { kind: "approve" };
const call = (id: string, name = "pay") => ({ id, name, arguments: {} });

let folder: string;
let opened: AsyncDisposable[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-executor-"));
  opened = [];
});

afterEach(async () => {
  for (const one of opened.toReversed()) {
    await one[Symbol.asyncDispose]();
  }
  rmSync(folder, { recursive: true });
});

function openStore(): RunStore {
  const store = sqliteRuns({ file: join(folder, "runs.db") });
  opened.push(store);
  return store;
}

async function open(options: LocalExecutorOptions) {
  const executor = await openLocalExecutor({ logger: silentLogger, ...options });
  opened.push(executor);
  return executor;
}

/** An agent called "clerk" that asks for payments, and how often it has paid. */
function clerk(definition: Omit<AgentDefinition, "name"> = {}, ...ids: readonly string[]) {
  const paid: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    execute: (_input, { id }) => {
      paid.push(id);
      return `paid ${id}`;
    },
  });
  const model = modelOf(({ messages }) =>
    messages.some(({ role }) => role === "tool") ? "done" : { calls: ids.map((id) => call(id)) },
  );
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const agent: Agent = dragoman.defineAgent({ name: "clerk", model, tools: [pay], ...definition });
  return { agent, paid };
}

const asking = { approval: { default: "ask" } } as const;
const keyOf = (id: string) => ({ app: "default", id });

test("a run that was started is kept, and its end is told", async () => {
  const { agent, paid } = clerk({}, "c0");
  const store = openStore();
  const executor = await open({ store, agents: [agent] });
  const { runId } = await executor.start("clerk", "Pay", { actor: "ann" });
  expect(await store.get(keyOf(runId))).toMatchObject({ agent: "clerk", input: "Pay" });
  expect(await executor.result(runId)).toMatchObject({
    status: "completed",
    text: "done",
    usage: { inputTokens: 2, outputTokens: 2 },
  });
  expect(paid).toEqual(["c0"]);
  expect(await failureOf(executor.result("nobody"))).toMatchObject({ code: "run-not-found" });
  expect(await failureOf(executor.result(runId, { actor: "bob" }))).toMatchObject({
    code: "run-not-found",
  });
});

test("runs that a process has left behind are taken up when the next one opens, with what it is given", async () => {
  const store = new MortalStore(3); // the model, that the call has begun, and its end
  const { agent, paid } = clerk({}, "c0");
  const { runId } = await agent.ask("Pay", { store, actor: "ann" });
  const other = createDragoman({ logger: silentLogger, env: {} }).defineAgent({
    name: "stranger",
    model: modelOf("x"),
  });
  const { runId: strange } = await other.ask("Hi", { store });
  store.revive();
  const given: unknown[] = [];
  const executor = await open({
    store,
    agents: [agent],
    resumeWith: (run) => {
      given.push(run.actor);
      return { context: { plan: "pro" } };
    },
  });
  expect(await executor.result(runId)).toMatchObject({ status: "completed", text: "done" });
  expect(paid).toEqual(["c0"]);
  expect(given).toEqual(["ann"]);
  expect(await store.get(keyOf(strange))).toMatchObject({ status: "running" });
});

test("a decision whose time is over is refused before it is recorded", async () => {
  let passedMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + passedMs };
  const { agent } = clerk({ approval: { default: "ask", timeoutMs: 60_000 } }, "a");
  const store = openStore();
  const executor = await open({ store, agents: [agent], clock });
  const { runId } = await executor.start(agent, "Pay");
  await executor.result(runId);
  passedMs = 60_000;
  expect(await failureOf(executor.signal(runId, { "approval:a": yes }))).toMatchObject({
    code: "decision-refused",
    message: expect.stringContaining("too late"),
  });
  expect((await store.get(keyOf(runId)))?.decisions).toEqual({});
});

test("a run goes on when it is told what was decided; the first decision stands, and only for its actor", async () => {
  const { agent, paid } = clerk(asking, "a", "b");
  const executor = await open({ store: openStore(), agents: [agent] });
  const { runId } = await executor.start(agent, "Pay", { actor: "ann" });
  expect(await executor.result(runId)).toMatchObject({ status: "suspended" });
  const eve = executor.signal(runId, { "approval:a": yes }, { actor: "eve" });
  expect(await failureOf(eve)).toMatchObject({ code: "run-not-found" });
  const ann = { actor: "ann" };
  const outcomes = await Promise.allSettled([
    executor.signal(runId, { "approval:a": yes }, ann),
    executor.signal(runId, { "approval:a": { kind: "deny" } }, ann),
    executor.signal(runId, { "approval:b": { kind: "deny" } }, ann),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: { code: "decision-refused" } });
  await expect.poll(async () => (await executor.result(runId)).status).toBe("completed");
  expect(paid).toEqual(["a"]);
});

test("what another process decides is noticed", async () => {
  const { agent, paid } = clerk(asking, "a");
  const executor = await open({ store: openStore(), agents: [agent] });
  const { runId } = await executor.start("clerk", "Pay");
  await executor.result(runId);
  await openStore().decide(keyOf(runId), { "approval:a": yes });
  await expect.poll(async () => (await executor.result(runId)).status).toBe("completed");
  expect(paid).toEqual(["a"]);
});

test("a run whose time to decide is over goes on without, also where it was over before the executor opened", async () => {
  const clock = manualClock(1_000);
  const store = new MemoryRunStore({ clock });
  const dragoman = createDragoman({ logger: silentLogger, env: {}, clock });
  const agent = dragoman.defineAgent({
    name: "clerk",
    model: modelOf({ calls: [call("a", "nothing")] }, "then not"),
    tools: [defineTool({ name: "nothing", description: "Nothing.", execute: () => 1 })],
    approval: { default: "ask", timeoutMs: 60_000 },
  });
  const { runId: early } = await agent.ask("Hi", { store });
  clock.advance(60_000);
  const executor = await open({ store, agents: [agent], clock });
  await expect
    .poll(async () => {
      clock.advance(1);
      return (await store.get(keyOf(early)))?.status;
    })
    .toBe("completed");
  const { runId } = await executor.start("clerk", "Hi");
  expect(await executor.result(runId)).toMatchObject({ status: "completed", text: "then not" });
});

test("P6: a run is cancelled wherever it stands, once, and its readers see the end", async () => {
  const { agent, paid } = clerk(asking, "a");
  const store = openStore();
  const executor = await open({ store, agents: [agent] });
  const { runId } = await executor.start("clerk", "Pay", { actor: "ann" });
  await executor.result(runId);
  const events: string[] = [];
  const reading = (async () => {
    for await (const { kind } of followRun(store, keyOf(runId))) {
      events.push(kind);
    }
  })();
  expect(await failureOf(executor.cancel(runId, { actor: "eve" }))).toMatchObject({
    code: "run-not-found",
  });
  await executor.cancel(runId);
  await reading;
  expect(events.slice(-2)).toEqual(["run-suspend", "run-end"]);
  expect(await executor.result(runId)).toMatchObject({ status: "cancelled", waitingFor: [] });
  expect(await failureOf(executor.cancel(runId))).toMatchObject({ code: "run-finished" });
  expect(await failureOf(executor.signal(runId, { "approval:a": yes }))).toMatchObject({
    code: "decision-refused",
  });
  expect(paid).toEqual([]);
});

/** A tool that waits, and tells when it has begun. */
function waitingTool() {
  const begun = Promise.withResolvers<void>();
  const tool = defineTool({
    name: "wait",
    description: "Waits.",
    idempotent: true,
    execute: (_input, { signal }) => {
      begun.resolve();
      return untilAborted(new Promise(() => {}), signal);
    },
  });
  return { tool, begun: begun.promise };
}

test("a run that is executed just now is cancelled in the middle of a step", async () => {
  const { tool, begun } = waitingTool();
  const { agent } = clerk({ tools: [tool], model: modelOf({ calls: [call("w", "wait")] }) });
  const executor = await open({ store: openStore(), agents: [agent] });
  const { runId } = await executor.start("clerk", "Wait");
  await begun;
  await executor.cancel(runId);
  expect(await executor.result(runId)).toMatchObject({ status: "cancelled" });
});

test("an executor that is closed puts its runs down, and the next one takes them up", async () => {
  const { tool, begun } = waitingTool();
  const calling = { calls: [call("w", "wait")] };
  const first = clerk({ tools: [tool], model: modelOf(calling) });
  const store = openStore();
  const closing = await openLocalExecutor({ store, agents: [first.agent], logger: silentLogger });
  const { runId } = await closing.start("clerk", "Wait");
  await begun;
  await closing[Symbol.asyncDispose]();
  expect(await store.get(keyOf(runId))).toMatchObject({ status: "running" });
  const done = defineTool({
    name: "wait",
    description: "Waits.",
    idempotent: true,
    execute: () => "waited",
  });
  const second = clerk({ tools: [done], model: modelOf("done") });
  const executor = await open({ store, agents: [second.agent] });
  expect(await executor.result(runId)).toMatchObject({ status: "completed", text: "done" });
});

test("a run whose store fails is taken up again when it is back", async () => {
  const clock = manualClock(1_000);
  const store = new MortalStore(1);
  const { agent, paid } = clerk({}, "c0");
  const executor = await open({ store, agents: [agent], clock });
  const { runId } = await executor.start("clerk", "Pay");
  await expect.poll(() => clock.pending).toBeGreaterThan(1);
  store.revive();
  await expect
    .poll(async () => {
      clock.advance(1_000);
      return (await store.get(keyOf(runId)))?.status;
    })
    .toBe("completed");
  expect(paid).toEqual(["c0"]);
});

test("no more runs are executed at once than is allowed", async () => {
  let now = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const slow = defineTool({
    name: "slow",
    description: "Slow.",
    execute: async () => {
      now += 1;
      most = Math.max(most, now);
      await gate.promise;
      now -= 1;
      return 1;
    },
  });
  const model = modelOf(({ messages }) =>
    messages.some(({ role }) => role === "tool") ? "done" : { calls: [call("s", "slow")] },
  );
  const { agent } = clerk({ tools: [slow], model });
  const executor = await open({ store: new MemoryRunStore(), agents: [agent], concurrency: 2 });
  const starting = Array.from({ length: 5 }, () => executor.start("clerk", "Go"));
  await expect.poll(() => now).toBe(2);
  gate.resolve();
  for (const { runId } of await Promise.all(starting)) {
    expect(await executor.result(runId)).toMatchObject({ status: "completed" });
  }
  expect(most).toBe(2);
});

test("an agent that is not known, two of one name, and another application's are mistakes", async () => {
  const { agent } = clerk();
  const store = new MemoryRunStore();
  expect(await failureOf(openLocalExecutor({ store, agents: [agent, agent] }))).toMatchObject({
    code: "invalid-configuration",
  });
  const executor = await open({ store, agents: [agent] });
  expect(await failureOf(executor.start("nobody", "Hi"))).toMatchObject({
    message: expect.stringContaining('it was given: "clerk"'),
  });
  const elsewhere = await open({ store, agents: [agent], app: "shop" });
  expect(await failureOf(elsewhere.start("clerk", "Hi"))).toMatchObject({
    message: expect.stringContaining('the application "shop"'),
  });
});

test("an executor that watches for long leaves nothing behind at its own signal", async () => {
  const clock = manualClock();
  const listeners: number[] = [];
  const store = new MemoryRunStore();
  store.changes = async function* (_of, signal) {
    for (let count = 0; count < 20 && !signal.aborted; count += 1) {
      yield;
      listeners.push(getEventListeners(signal, "abort").length);
    }
    await untilAborted(new Promise<never>(() => {}), signal).catch(() => {});
  };
  const { agent } = clerk();
  await open({ store, agents: [agent], clock });
  while (listeners.length < 20) {
    await new Promise(setImmediate);
    clock.advance(200);
  }
  expect(listeners.at(-1)).toBe(listeners[0]);
});

test("a run for which nothing could be got to resume it with is taken up again later", async () => {
  const clock = manualClock();
  const store = new MortalStore(0);
  const { agent } = clerk();
  await agent.ask("Pay", { store });
  store.revive();
  const [left] = (await store.list({ app: "default" })).runs;
  let asked = 0;
  await open({
    store,
    agents: [agent],
    clock,
    resumeWith() {
      asked += 1;
      if (asked === 1) {
        throw new Error("no database");
      }
      return {};
    },
  });
  await expect.poll(() => clock.pending).toBeGreaterThan(0);
  clock.advance(1_000);
  const status = async () => (await store.get(keyOf(left?.id ?? "")))?.status;
  await expect.poll(status).toBe("completed");
  expect(asked).toBe(2);
});

test("a run whose end could not be recorded is taken up again when the store is back", async () => {
  const clock = manualClock(1_000);
  const store = new MortalStore(1); // the model call
  const { agent } = clerk();
  const executor = await open({ store, agents: [agent], clock });
  const { runId } = await executor.start("clerk", "Hi");
  await expect.poll(() => clock.pending).toBeGreaterThan(1);
  expect(await store.get(keyOf(runId))).toMatchObject({ status: "running" });
  store.revive();
  await expect
    .poll(async () => {
      clock.advance(1_000);
      return (await store.get(keyOf(runId)))?.status;
    })
    .toBe("completed");
  const events = await store.events(keyOf(runId));
  expect(events.filter(({ kind }) => kind === "run-end")).toHaveLength(1);
});

test("whoever cancels a run is told where that could not be recorded", async () => {
  const { tool, begun } = waitingTool();
  const { agent } = clerk({ tools: [tool], model: modelOf({ calls: [call("w", "wait")] }) });
  const store = new MortalStore(Number.POSITIVE_INFINITY);
  const executor = await open({ store, agents: [agent] });
  const { runId } = await executor.start("clerk", "Wait");
  await begun;
  store.revive(0);
  expect(await failureOf(executor.cancel(runId))).toMatchObject({ code: "store-unavailable" });
  store.revive();
  await executor.cancel(runId);
  expect(await store.get(keyOf(runId))).toMatchObject({ status: "cancelled" });
});
