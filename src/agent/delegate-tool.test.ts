import { expect, test } from "vitest";
import * as z from "zod";
import { add, collect } from "../../test/agent-fixture.ts";
import { silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type ScriptedTurn, scriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import type { RunResult } from "./run-result.ts";

const { defineAgent } = createDragoman({ logger: silentLogger, env: {} });

const agent = (
  name: string,
  turns: readonly [ScriptedTurn, ...ScriptedTurn[]],
  more: Omit<AgentDefinition, "name" | "model"> = {},
) => {
  const model = scriptedModel(turns, { id: `model-of-${name}` });
  return { model, agent: defineAgent({ name, model, ...more }) };
};

const delegating = (name: string, request = "Do it") => ({
  calls: [{ name: `delegate_to_${name}`, arguments: { request } }],
});

test("an agent among the tools of another is a tool with its own instructions, history and usage", async () => {
  const helper = agent(
    "research",
    [{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "It is 3."],
    { instructions: "You search.", tools: [add], description: "Finds things out." },
  );
  const boss = agent("boss", [delegating("research", "What is 1 + 2?"), "Three."], {
    tools: [helper.agent],
  });
  const result = await boss.agent.ask("Hi", { actor: "ada" });
  expect(boss.model.requests[0]?.tools).toMatchObject([
    { name: "delegate_to_research", description: expect.stringContaining("Finds things out.") },
  ]);
  expect(helper.model.requests[0]?.messages).toEqual([
    { role: "system", text: "You search." },
    { role: "user", content: [{ kind: "text", text: "What is 1 + 2?" }] },
  ]);
  expect(result).toMatchObject({
    status: "completed",
    text: "Three.",
    steps: 4,
    usage: { inputTokens: 4, outputTokens: 4 },
    usageByModel: { "model-of-boss": { inputTokens: 2 }, "model-of-research": { inputTokens: 2 } },
    participants: [{ name: "research", result: { status: "completed", text: "It is 3." } }],
  });
  expect(JSON.stringify(boss.model.requests[1]?.messages.at(-1))).toContain("It is 3.");
});

test("events of a delegated run carry its path and stand between agent-start and agent-end", async () => {
  const helper = agent("helper", ["done"]);
  const boss = agent("boss", [delegating("helper"), "ok"], { tools: [helper.agent] });
  const events = await collect(boss.agent.stream("Hi"));
  const inner = events.filter(({ agentPath }) => agentPath.length === 2);
  expect(inner.map(({ kind }) => kind)).toEqual([
    "agent-start",
    "step-start",
    "model-start",
    "text-start",
    "text-delta",
    "text-end",
    "model-end",
    "step-end",
    "agent-end",
  ]);
  expect(inner.every(({ agentPath }) => agentPath.join() === "boss,helper")).toBe(true);
  const texts = events.flatMap((event) => (event.kind === "text-start" ? [event.id] : []));
  expect(new Set(texts).size).toBe(2);
});

test("the failure of a delegated run is an error that the asking agent reads", async () => {
  const helper = agent("helper", [{ error: new Error("model is gone") }], {
    retry: { maxAttempts: 1 },
  });
  const boss = agent("boss", [delegating("helper"), "I could not"], { tools: [helper.agent] });
  const result = await boss.agent.ask("Hi");
  expect(result).toMatchObject({
    status: "completed",
    participants: [{ result: { status: "failed" } }],
  });
  expect(JSON.stringify(result.messages)).toContain('The agent \\"helper\\" failed');
});

test("a typed answer of a delegated run is passed on as data", async () => {
  const helper = defineAgent({
    name: "helper",
    model: scriptedModel(['{"sum":3}']),
    output: z.object({ sum: z.number() }),
  });
  const boss = agent("boss", [delegating("helper"), "ok"], { tools: [helper] });
  const events = await collect(boss.agent.stream("Hi"));
  expect(events.find(({ kind }) => kind === "tool-end")).toMatchObject({
    result: { kind: "success", value: { sum: 3 } },
  });
});

test("agents that hand a task to and fro come to an end, in depth and in number", async () => {
  const tools: AgentDefinition["tools"] = [];
  const loop = agent("loop", [delegating("loop")], {
    tools,
    limits: { maxDepth: 4, maxDelegations: 6, maxSteps: 2 },
  });
  (tools as unknown[]).push(loop.agent);
  const result = await loop.agent.ask("Go");
  const depth = (report: RunResult): number =>
    1 + Math.max(0, ...report.participants.map(({ result: inner }) => depth(inner)));
  const count = (report: RunResult): number =>
    report.participants.reduce((sum, { result: inner }) => sum + 1 + count(inner), 0);
  expect(depth(result)).toBe(4);
  expect(count(result)).toBe(6);
});

test("a delegated agent that waits suspends the whole run, and goes on where it was", async () => {
  let refunds = 0;
  let looks = 0;
  const refund = defineTool({ name: "refund", description: "Refunds.", execute: () => ++refunds });
  const look = defineTool({ name: "look", description: "Looks.", execute: () => ++looks });
  const helper = agent(
    "clerk",
    [{ calls: [{ name: "look" }] }, { calls: [{ id: "r1", name: "refund" }] }, "refunded"],
    { tools: [refund, look], approval: { tools: { refund: "ask" } } },
  );
  const boss = agent("boss", [delegating("clerk"), "all done"], { tools: [helper.agent] });
  const store = new MemoryRunStore();
  const first = await boss.agent.ask("Hi", { store });
  expect(first).toMatchObject({
    status: "suspended",
    waitingFor: [{ kind: "approval", agentPath: ["boss", "clerk"], call: { name: "refund" } }],
  });
  const id = first.status === "suspended" ? (first.waitingFor[0]?.id ?? "") : "";
  const decisions = { [id]: { kind: "approve" } } as const;
  const second = await boss.agent.resume(first.runId, { store, decisions });
  expect(second).toMatchObject({ status: "completed", text: "all done" });
  expect([looks, refunds]).toEqual([1, 1]);
  expect([helper.model.requests.length, boss.model.requests.length]).toEqual([3, 2]);
  const events = await store.events({ app: "default", id: first.runId });
  const kinds = events.map(({ kind }) => kind);
  for (const kind of ["agent-start", "agent-end", "run-start", "run-end", "run-suspend"] as const) {
    expect(kinds.filter((one) => one === kind)).toHaveLength(1);
  }
});

test("what a delegated agent has read from a server taints the one that asked it", async () => {
  const source = { server: "web", name: "fetch" };
  const fetch = defineTool({ name: "fetch", description: "f", source, execute: () => "page" });
  let sent = 0;
  const send = defineTool({ name: "send", description: "s", execute: () => ++sent });
  const reader = agent("reader", [{ calls: [{ name: "fetch" }] }, "read"], { tools: [fetch] });
  const boss = agent("boss", [delegating("reader"), { calls: [{ name: "send" }] }, "ok"], {
    tools: [reader.agent, send],
    approval: { tools: { send: ({ tainted }) => (tainted ? "deny" : "allow") } },
  });
  await boss.agent.ask("Hi");
  expect(sent).toBe(0);
});

test("cancelling a run ends its delegated runs", async () => {
  const helper = agent("helper", [{ hangs: true }]);
  const boss = agent("boss", [delegating("helper"), "ok"], { tools: [helper.agent] });
  const run = boss.agent.stream("Hi");
  for await (const { kind, agentPath } of run) {
    if (kind === "model-start" && agentPath.length === 2) {
      run.cancel("enough");
    }
  }
  expect(await run.result).toMatchObject({ status: "cancelled", reason: "enough" });
});

test.each(["the run is cancelled", "its own time is over"])(
  "where %s, a delegated run has closed its servers before the other goes on, and its work counts",
  async (why) => {
    const isCancelled = why === "the run is cancelled";
    const log: string[] = [];
    const closing = Promise.withResolvers<void>();
    const crm: Toolset = {
      name: "crm",
      open: async () => ({
        tools: [add],
        close: async () => {
          await closing.promise;
          log.push("closed");
        },
      }),
    };
    const helper = agent(
      "helper",
      [{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { hangs: true }],
      { mcp: [crm] },
    );
    const more = { tools: [helper.agent], toolTimeoutMs: 1_000 };
    const clock = manualClock();
    const model = scriptedModel([
      delegating("helper"),
      () => {
        log.push("asked again");
        return "ok";
      },
    ]);
    const boss = createDragoman({ logger: silentLogger, env: {}, clock }).defineAgent({
      name: "boss",
      model,
      ...more,
    });
    const run = boss.stream("Hi");
    let calls = 0;
    for await (const { kind, agentPath } of run) {
      calls += kind === "model-start" && agentPath.length === 2 ? 1 : 0;
      if (kind === "model-start" && calls === 2) {
        isCancelled ? run.cancel("enough") : clock.advance(1_000);
        setImmediate(closing.resolve);
        calls = 3;
      }
    }
    const result = await run.result;
    expect(log).toEqual(isCancelled ? ["closed"] : ["closed", "asked again"]);
    expect(result.status).toBe(isCancelled ? "cancelled" : "completed");
    expect(result.participants).toMatchObject([
      { name: "helper", result: { status: "cancelled", steps: 2 } },
    ]);
  },
);
