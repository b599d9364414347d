import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import { silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import type { ScriptedAnswer } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import type { Decision } from "./waiting.ts";

const yes: Decision = { kind: "approve" };
const refund = defineTool({ name: "refund", description: "Refunds.", execute: () => "refunded" });
const callRefund = { calls: [{ id: "c0", name: "refund", arguments: {} }] };
const asking = { tools: [refund], approval: { default: "ask" } } as const;
const decisions = { "approval:c0": yes };

const waitingAgent = () => agentOf({ ...asking, model: modelOf(callRefund, "done") });

test("a run that nobody knows, or that is another actor's, is not resumed", async () => {
  const agent = waitingAgent();
  const { runId } = await agent.ask("Go", { actor: "ada" });
  for (const [id, options] of [
    ["run_unknown", {}],
    [runId, {}],
    [runId, { actor: "eve" }],
  ] as const) {
    const result = await agent.resume(id, { ...options, decisions });
    expect(result).toMatchObject({ status: "failed", error: { code: "run-not-found" } });
  }
  expect(await agent.resume(runId, { actor: "ada", decisions })).toMatchObject({
    status: "completed",
  });
});

test.each([
  [{ "approval:c9": yes }, 'does not wait for "approval:c9"; it waits for "approval:c0"'],
  [
    { "approval:c0": { kind: "answer", value: 1 } as Decision },
    '{ kind: "approve" } or { kind: "deny" }',
  ],
])("a decision that does not fit is refused and changes nothing: %j", async (wrong, message) => {
  const agent = waitingAgent();
  const { runId } = await agent.ask("Go");
  const refused = await agent.resume(runId, { decisions: wrong });
  expect(refused).toMatchObject({
    status: "failed",
    error: { code: "decision-refused", message: expect.stringContaining(message) },
  });
  expect(await agent.resume(runId, { decisions })).toMatchObject({ status: "completed" });
});

test("a run that has ended is not resumed", async () => {
  const store = new MemoryRunStore();
  const agent = waitingAgent();
  const { runId } = await agent.ask("Go", { store });
  await agent.resume(runId, { store, decisions });
  expect(await agent.resume(runId, { store })).toMatchObject({
    status: "failed",
    error: { code: "run-finished" },
  });
});

test("two who resume at once: one does, the other is told", async () => {
  const agent = waitingAgent();
  const { runId } = await agent.ask("Go");
  const results = await Promise.all([
    agent.resume(runId, { decisions }),
    agent.resume(runId, { decisions }),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(["completed", "failed"]);
  expect(results.find(({ status }) => status === "failed")).toMatchObject({
    error: { code: "run-conflict" },
  });
});

test("a run is resumed by the agent that began it only", async () => {
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const model = modelOf(callRefund, "done");
  const first = dragoman.defineAgent({ name: "first", model, ...asking });
  const second = dragoman.defineAgent({ name: "second", model, ...asking });
  const { runId } = await first.ask("Go");
  expect(await second.resume(runId, { decisions })).toMatchObject({
    error: { code: "step-mismatch", message: expect.stringContaining('begun by "first"') },
  });
});

/** Calls tools first and answers once it has their results. */
const byHistory = (first: ScriptedAnswer) =>
  modelOf(({ messages }) => (messages.some(({ role }) => role === "tool") ? "done" : first));

function countedTool(name: string, log: string[], idempotent: boolean) {
  const execute = () => {
    log.push(name);
    return name;
  };
  return defineTool({ name, description: name, idempotent, execute });
}

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  "a run whose process ends at write %i ends as it would have, and no finished step is done again",
  async (writes) => {
    const log: string[] = [];
    const tools = [countedTool("left", log, true), countedTool("right", log, true)];
    const both = {
      calls: ["left", "right"].map((name) => ({ id: name, name, arguments: {} })),
    };
    const definition: Omit<AgentDefinition, "name"> = { tools };
    const store = new MortalStore(writes);
    const first = agentOf({ ...definition, model: modelOf(both, "done") });
    const { runId, status } = await first.ask("Go", { store });
    store.revive();
    const steps = await store.steps({ app: "default", id: runId });
    const finished = log.filter((name) => steps.some(({ key }) => key === `tool:${name}#${name}`));
    const second = agentOf({ ...definition, model: byHistory(both) });
    if (status === "completed") {
      return;
    }
    const before = [...log];
    const result = await second.resume(runId, { store });
    expect(result).toMatchObject({ status: "completed", text: "done" });
    for (const name of finished) {
      expect(log.filter((one) => one === name)).toHaveLength(
        before.filter((one) => one === name).length,
      );
    }
    const events = await store.events({ app: "default", id: runId });
    const ends = events.filter(({ kind }) => kind === "tool-end" || kind === "run-end");
    expect(ends.map(({ kind }) => kind)).toEqual(["tool-end", "tool-end", "run-end"]);
    const sequences = events.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
  },
);

test("an agent that was changed is told which step it does not take any more", async () => {
  const store = new MortalStore(2);
  const log: string[] = [];
  const tool = countedTool("left", log, true);
  const calling = { calls: [{ id: "c0", name: "left", arguments: {} }] };
  const { runId } = await agentOf({ tools: [tool], model: modelOf(calling, "done") }).ask("Go", {
    store,
  });
  store.revive();
  const changed = agentOf({ tools: [], model: modelOf("done") });
  expect(await changed.resume(runId, { store })).toMatchObject({
    status: "failed",
    error: { code: "step-mismatch", message: expect.stringContaining('"tool:left#c0"') },
  });
});

test("the session of a run that waits gets its messages once, when the run has ended", async () => {
  const sessions = memorySessions();
  const agent = agentOf({ ...asking, model: modelOf(callRefund, "done") }, { sessions });
  const { runId } = await agent.ask("Go", { session: { id: "s1" } });
  expect(await sessions.messages({ app: "default", id: "s1" })).toEqual([]);
  await agent.resume(runId, { decisions });
  const kept = await sessions.messages({ app: "default", id: "s1" });
  expect(kept.map(({ message }) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
});
