import { expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import { untilAborted } from "../base/abort.ts";
import type { Model } from "../model/model.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import { runLimits } from "./run-limits.ts";
import type { Decision } from "./waiting.ts";

const yes: Decision = { kind: "approve" };
const key = (id: string) => ({ app: "default", id });
const call = (id: string, name: string, args = {}) => ({ id, name, arguments: args });

/** A tool that may not be called twice; it notes each call's key. */
function payment() {
  const keys: string[] = [];
  const tool = defineTool({
    name: "pay",
    description: "Pays.",
    execute: (_input, { id, idempotencyKey }) => {
      keys.push(idempotencyKey);
      return `paid ${id}`;
    },
  });
  return { tool, keys };
}

/** A model that goes by what is in its history, as a real one does. */
const byHistory = (...calls: ReturnType<typeof call>[]) =>
  modelOf(({ messages }) =>
    messages.some(({ role }) => role === "tool") ? "done" : { text: "Well.", calls },
  );

test("calls of one tool keep their own results, in whatever order they are approved", async () => {
  const { tool, keys } = payment();
  const model = byHistory(call("a", "pay"), call("b", "pay"), call("c", "pay"));
  const agent = agentOf({ model, tools: [tool], approval: { default: "ask" } });
  const { runId } = await agent.ask("Pay");
  await agent.resume(runId, { decisions: { "approval:c": yes } });
  await agent.resume(runId, { decisions: { "approval:b": yes } });
  const result = await agent.resume(runId, { decisions: { "approval:a": yes } });
  const parts = result.messages.flatMap((one) => (one.role === "tool" ? one.content : []));
  expect(parts.map(({ id, content }) => [id, content])).toEqual(
    ["a", "b", "c"].map((id) => [id, [{ kind: "text", text: `paid ${id}` }]]),
  );
  expect(new Set(keys).size).toBe(3);
});

test("a call that was in flight is made again only when somebody says so, under the same key", async () => {
  const { tool, keys } = payment();
  const store = new MortalStore(2); // the model's step, and that the tool's has begun
  const agent = agentOf({ model: byHistory(call("c0", "pay")), tools: [tool] });
  const { runId } = await agent.ask("Pay", { store });
  expect(keys).toHaveLength(1);
  store.revive();
  const waiting = await agent.resume(runId, { store });
  expect(waiting).toMatchObject({
    status: "suspended",
    waitingFor: [{ kind: "confirm-retry", id: "confirm-retry:c0", call: { name: "pay" } }],
  });
  const result = await agent.resume(runId, { store, decisions: { "confirm-retry:c0": yes } });
  expect(result).toMatchObject({ status: "completed", text: "done" });
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test("a second try that is interrupted is asked for anew", async () => {
  const { tool, keys } = payment();
  const store = new MortalStore(2);
  const agent = agentOf({ model: byHistory(call("c0", "pay")), tools: [tool] });
  const { runId } = await agent.ask("Pay", { store });
  store.revive();
  await agent.resume(runId, { store });
  store.revive(2); // the decision's step, and that the second try has begun
  await agent.resume(runId, { store, decisions: { "confirm-retry:c0": yes } });
  expect(keys).toHaveLength(2);
  store.revive();
  const again = await agent.resume(runId, { store });
  expect(again).toMatchObject({ waitingFor: [{ id: "confirm-retry:c0~2" }] });
  const denial = { "confirm-retry:c0~2": { kind: "deny", reason: "look first" } } as const;
  const result = await agent.resume(runId, { store, decisions: denial });
  expect(result.status).toBe("completed");
  expect(JSON.stringify(result.messages)).toMatch(/not known whether it took effect.*look first/);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test("each execution says that it resumes, and no id of a text is used twice", async () => {
  const { tool } = payment();
  const model = byHistory(call("c0", "pay"));
  const store = new MemoryRunStore();
  const agent = agentOf({ model, tools: [tool], approval: { default: "ask" } });
  const { runId } = await agent.ask("Pay", { store });
  await agent.resume(runId, { store });
  await agent.resume(runId, { store });
  await agent.resume(runId, { store, decisions: { "approval:c0": yes } });
  const events = await store.events(key(runId));
  const countOf = (kind: string) => events.filter((event) => event.kind === kind).length;
  expect([countOf("run-start"), countOf("run-suspend"), countOf("run-resume")]).toEqual([1, 3, 3]);
  expect([countOf("approval-request"), countOf("tool-start"), countOf("tool-end")]).toEqual([
    1, 1, 1,
  ]);
  const ids = events.flatMap((event) => (event.kind === "text-start" ? [event.id] : []));
  expect(ids).toEqual([...new Set(ids)]);
  const sequences = events.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
});

test("what an execution left open when its process ended is closed by the next", async () => {
  const clock = manualClock(1_000);
  const store = new MemoryRunStore();
  const model: Model = {
    ...modelOf("never"),
    async *stream(_request, { signal }) {
      yield { kind: "text-start", id: "t" };
      yield { kind: "text-delta", id: "t", text: "I was" };
      await untilAborted(new Promise(() => {}), signal);
    },
  };
  const hanging = agentOf({ model }, { clock });
  const run = hanging.stream("Hi", { store });
  for await (const { kind } of run) {
    if (kind === "text-delta") {
      break;
    }
  }
  clock.advance(50); // events are written
  await expect.poll(async () => (await store.get(key(run.id)))?.sequence).toBeGreaterThan(3);
  await store.takeOver(key(run.id), "its process has ended");
  const events = await collect(
    agentOf({ model: modelOf("Hello") }).resumeStream(run.id, { store }),
  );
  expect(events.map(({ kind }) => kind).slice(0, 4)).toEqual([
    "run-resume",
    "text-end",
    "model-end",
    "model-start",
  ]);
  expect(events.at(-1)).toMatchObject({ kind: "run-end", status: "completed", text: "Hello" });
  run.cancel();
  expect(await run.result).toMatchObject({ status: "cancelled" });
  expect(await store.get(key(run.id))).toMatchObject({ status: "completed", text: "Hello" });
});

/** A server with one tool, whose connection can be told to take long or to fail. */
function shop() {
  const state = { delay: Promise.resolve(), down: false, calls: 0 };
  const buy = defineTool({
    name: "buy",
    description: "Buys.",
    source: { server: "shop", name: "buy" },
    execute: () => {
      state.calls += 1;
      return "bought";
    },
  });
  const toolset: Toolset = {
    name: "shop",
    async open() {
      await state.delay;
      if (state.down) {
        throw new Error("refused");
      }
      return { tools: [buy], close: async () => {} };
    },
  };
  return { state, toolset };
}

/** A run that was interrupted after its server's tool was called. */
async function interrupted(toolset: Toolset, more: Toolset[] = []) {
  const store = new MortalStore(5); // the server and its joining, the model, the call's beginning and end
  const clock = manualClock(1_000);
  const model = byHistory(call("c0", "buy"));
  const agent = agentOf({ model, mcp: [toolset, ...more] }, { clock });
  const { runId } = await agent.ask("Buy", { store });
  store.revive();
  expect((await store.steps(key(runId))).at(-1)).toMatchObject({
    kind: "finished",
    key: "tool:buy#c0",
  });
  return { store, agent, runId, clock };
}

test("a server that the run had before is waited for, however long it takes", async () => {
  const { state, toolset } = shop();
  const { store, agent, runId, clock } = await interrupted(toolset);
  const opened = Promise.withResolvers<void>();
  state.delay = opened.promise;
  const resumed = agent.resume(runId, { store });
  await expect.poll(async () => (await store.get(key(runId)))?.status).toBe("running");
  clock.advance(60_000);
  opened.resolve();
  expect(await resumed).toMatchObject({ status: "completed", text: "done" });
  expect(state.calls).toBe(1);
});

test("what a server gave holds also where it is away when the run is resumed", async () => {
  const { state, toolset } = shop();
  const { store, agent, runId } = await interrupted(toolset);
  state.down = true;
  const result = await agent.resume(runId, { store });
  expect(result).toMatchObject({
    status: "completed",
    text: "done",
    failedServers: [{ name: "shop" }],
  });
  expect(JSON.stringify(result.messages)).toContain("bought");
  const events = await store.events(key(runId));
  expect(events.filter(({ kind }) => kind === "tool-end")).toHaveLength(1);
});

test("a step that gives too much fails the run and says which and how much is allowed", async () => {
  const store = new MemoryRunStore();
  const flood = defineTool({
    name: "flood",
    description: "Floods.",
    execute: () => "x".repeat(runLimits.maxStepLength),
  });
  const agent = agentOf({ model: byHistory(call("c0", "flood")), tools: [flood] });
  const result = await agent.ask("Go", { store });
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "step-too-large", message: expect.stringMatching(/tool:flood#c0.*16777216/) },
  });
  expect(await store.get(key(result.runId))).toMatchObject({
    status: "failed",
    error: { code: "step-too-large" },
  });
});
