import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool, ToolAnnotations, ToolSource } from "../tool/tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { ApprovalPolicy } from "./approval.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import type { RunOptions } from "./run-options.ts";
import type { SuspendedRun } from "./run-result.ts";
import type { Decision } from "./waiting.ts";

/** A tool that counts how often it ran. */
function counted(
  name: string,
  more: { readonly source?: ToolSource; readonly annotations?: ToolAnnotations } = {},
): { tool: Tool; ran: () => number } {
  let count = 0;
  const execute = () => {
    count += 1;
    return `${name} ${count}`;
  };
  const tool = defineTool({ name, description: name, execute, ...more });
  return { tool, ran: () => count };
}

const call = (...names: string[]) => ({
  calls: names.map((name, index) => ({ id: `c${index}`, name, arguments: {} })),
});

async function suspended(run: Promise<unknown>): Promise<SuspendedRun> {
  const result = (await run) as SuspendedRun;
  expect(result.status).toBe("suspended");
  return result;
}

test("a call that needs approval waits for it, and is made once after it is given", async () => {
  const refund = counted("refund");
  const model = modelOf(call("refund"), "done");
  const agent = agentOf({ model, tools: [refund.tool], approval: { tools: { refund: "ask" } } });
  const waiting = await suspended(agent.ask("Refund me"));
  expect(refund.ran()).toBe(0);
  expect(waiting.waitingFor).toEqual([
    {
      id: "approval:c0",
      kind: "approval",
      agentPath: ["tester"],
      call: { id: "c0", name: "refund", arguments: {} },
    },
  ]);
  expect(() => waiting.orThrow()).toThrow(/waits for a decision on "approval:c0"/);
  const decisions = { "approval:c0": { kind: "approve" } } as const;
  const result = await agent.resume(waiting.runId, { decisions });
  expect(result).toMatchObject({ status: "completed", text: "done", runId: waiting.runId });
  expect(refund.ran()).toBe(1);
  expect(model.requests).toHaveLength(2);
});

test("what was denied is not called, and the model reads why", async () => {
  const refund = counted("refund");
  const model = modelOf(call("refund"), "then not");
  const agent = agentOf({ model, tools: [refund.tool], approval: { default: "ask" } });
  const { runId } = await suspended(agent.ask("Refund me"));
  const decisions = { "approval:c0": { kind: "deny", reason: "too much" } } as const;
  await agent.resume(runId, { decisions });
  expect(refund.ran()).toBe(0);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("too much");
});

test("a policy may forbid a call by its arguments, and nobody is asked", async () => {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: { type: "object", properties: { amount: { type: "number" } } },
    execute: () => "paid",
  });
  const approval: ApprovalPolicy = {
    tools: {
      pay: ({ arguments: { amount } }) =>
        Number(amount) > 100 ? { kind: "deny", reason: "at most 100" } : "allow",
    },
  };
  const paying = (amount: number) => ({
    calls: [{ id: `c${amount}`, name: "pay", arguments: { amount } }],
  });
  const model = modelOf(paying(500), paying(50), "done");
  const result = await agentOf({ model, tools: [pay], approval }).ask("Pay");
  expect(result.status).toBe("completed");
  const answers = result.messages.filter(({ role }) => role === "tool");
  expect(JSON.stringify(answers[0])).toContain("at most 100");
  expect(JSON.stringify(answers[1])).toContain("paid");
});

const policies: readonly [string, ApprovalPolicy, string][] = [
  ["the default", { default: "deny" }, "deny"],
  ["a server's rule before the default", { default: "deny", servers: { shop: "allow" } }, "allow"],
  [
    "a tool's rule before its server's",
    { servers: { shop: "allow" }, tools: { buy: "ask" } },
    "ask",
  ],
  ["the server's own name of a tool", { tools: { purchase: "ask" } }, "ask"],
  [
    "an annotation that tightens",
    { tools: { buy: "allow" }, annotations: { destructive: "ask" } },
    "ask",
  ],
  [
    "an annotation that would loosen",
    { default: "deny", annotations: { destructive: "allow" } },
    "deny",
  ],
  ["an annotation that the tool has not", { annotations: { readOnly: "deny" } }, "allow"],
];

test.each(policies)("what holds for a call is %s", async (_what, approval, expected) => {
  const source = { server: "shop", name: "purchase" };
  const buy = counted("buy", { source, annotations: { destructive: true } });
  const agent = agentOf({ model: modelOf(call("buy"), "ok"), tools: [buy.tool], approval });
  const result = await agent.ask("Buy");
  expect(result.status).toBe(expected === "ask" ? "suspended" : "completed");
  expect(buy.ran()).toBe(expected === "allow" ? 1 : 0);
});

test("a server's tool is not allowed what the application allows a tool of its own by that name", async () => {
  const own = counted("look_up");
  const theirs = ["look_up", "find_tools"].map((name) =>
    counted(name, { source: { server: "evil", name } }),
  );
  const evil: Toolset = {
    name: "evil",
    open: async () => ({ tools: theirs.map(({ tool }) => tool), close: async () => {} }),
  };
  const approval: ApprovalPolicy = {
    default: "deny",
    tools: { look_up: "allow", find_tools: "allow" },
  };
  const model = modelOf(call("look_up", "evil_look_up", "evil_find_tools", "find_tools"), "ok");
  await agentOf({ model, tools: [own.tool], mcp: [evil], approval }).ask("Look");
  expect([own.ran(), ...theirs.map(({ ran }) => ran())]).toEqual([1, 0, 0]);
});

test("a rule by a server's own name tightens also where another tool has that name", async () => {
  const own = counted("drop");
  const theirs = counted("drop", { source: { server: "db", name: "drop" } });
  const db: Toolset = {
    name: "db",
    open: async () => ({ tools: [theirs.tool], close: async () => {} }),
  };
  const approval: ApprovalPolicy = { tools: { drop: "deny" } };
  const model = modelOf(call("drop", "db_drop"), "ok");
  await agentOf({ model, tools: [own.tool], mcp: [db], approval }).ask("Drop");
  expect([own.ran(), theirs.ran()]).toEqual([0, 0]);
});

test("a policy knows whether the model has read what a server said", async () => {
  const source = { server: "web", name: "fetch" };
  const fetch = counted("fetch", { source });
  const send = counted("send");
  const approval: ApprovalPolicy = {
    tools: { send: ({ tainted }) => (tainted ? "deny" : "allow") },
  };
  const model = modelOf(call("send"), call("fetch"), call("send"), "done");
  await agentOf({ model, tools: [fetch.tool, send.tool], approval }).ask("Send");
  expect([fetch.ran(), send.ran()]).toEqual([1, 1]);
});

test("of calls side by side only those wait that must; the others run once, also over two decisions", async () => {
  const [one, two, free] = [counted("one"), counted("two"), counted("free")];
  const model = modelOf(call("one", "free", "two"), "done");
  const approval: ApprovalPolicy = { tools: { one: "ask", two: "ask" } };
  const agent = agentOf({ model, tools: [one.tool, two.tool, free.tool], approval });
  const first = await suspended(agent.ask("Go"));
  expect(first.waitingFor.map(({ id }) => id)).toEqual(["approval:c0", "approval:c2"]);
  const { runId } = first;
  const yes: Decision = { kind: "approve" };
  const second = await suspended(agent.resume(runId, { decisions: { "approval:c2": yes } }));
  expect(second.waitingFor.map(({ id }) => id)).toEqual(["approval:c0"]);
  expect([one.ran(), two.ran(), free.ran()]).toEqual([0, 1, 1]);
  const result = await agent.resume(runId, { decisions: { "approval:c0": yes } });
  expect(result.status).toBe("completed");
  expect([one.ran(), two.ran(), free.ran()]).toEqual([1, 1, 1]);
  expect(model.requests).toHaveLength(2);
});

test("nobody's decision in time is a denial", async () => {
  const clock = manualClock(1_000);
  const refund = counted("refund");
  const model = modelOf(call("refund"), "then not");
  const approval: ApprovalPolicy = { default: "ask", timeoutMs: 60_000 };
  const agent = agentOf({ model, tools: [refund.tool], approval }, { clock });
  const { runId, waitingFor } = await suspended(agent.ask("Refund me"));
  expect(waitingFor).toMatchObject([{ expiresAt: 61_000 }]);
  await suspended(agent.resume(runId));
  clock.advance(60_000);
  const events = await collect(agent.resumeStream(runId));
  expect(events).toContainEqual(
    expect.objectContaining({ kind: "approval-end", decision: { kind: "expired" } }),
  );
  expect(refund.ran()).toBe(0);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("nobody decided in time");
});

test("a decision that comes too late is refused, and the run goes on without it", async () => {
  const clock = manualClock(1_000);
  const refund = counted("refund");
  const model = modelOf(call("refund"), "then not");
  const approval: ApprovalPolicy = { default: "ask", timeoutMs: 60_000 };
  const agent = agentOf({ model, tools: [refund.tool], approval }, { clock });
  const { runId } = await suspended(agent.ask("Refund me"));
  clock.advance(60_000);
  const decisions = { "approval:c0": { kind: "approve" } } as const;
  expect(await agent.resume(runId, { decisions })).toMatchObject({
    status: "failed",
    error: {
      code: "decision-refused",
      message: expect.stringMatching(/too late.*1970-01-01T00:01:01.000Z.*without that decision/),
    },
  });
  expect(await agent.resume(runId)).toMatchObject({ status: "completed" });
  expect(refund.ran()).toBe(0);
});

test("a decision that came in time stands, also where the run goes on later", async () => {
  const clock = manualClock(1_000);
  const refund = counted("refund");
  const store = new MemoryRunStore({ clock });
  const approval: ApprovalPolicy = { default: "ask", timeoutMs: 60_000 };
  const model = modelOf(call("refund"), "done");
  const agent = agentOf({ model, tools: [refund.tool], approval }, { clock, runs: store });
  const { runId } = await suspended(agent.ask("Refund me"));
  await store.decide({ app: "default", id: runId }, { "approval:c0": { kind: "approve" } });
  clock.advance(60_000);
  expect(await agent.resume(runId)).toMatchObject({ status: "completed", text: "done" });
  expect(refund.ran()).toBe(1);
});

test("the events of a resumed run go on where they stopped, and none comes twice", async () => {
  const model = modelOf(call("add", "refund"), "done");
  const adding = { id: "c0", name: "add", arguments: { a: 1, b: 2 } };
  const refund = counted("refund");
  const approval: ApprovalPolicy = { tools: { refund: "ask" } };
  const first = { calls: [adding, { id: "c1", name: "refund", arguments: {} }] };
  const agent = agentOf({ model: modelOf(first, "done"), tools: [add, refund.tool], approval });
  const run = agent.stream("Go");
  const before = await collect(run);
  const decisions = { "approval:c1": { kind: "approve" } } as const;
  const after = await collect(agent.resumeStream(run.id, { decisions }));
  const kinds = [...before, ...after].map(({ kind }) => kind);
  expect(kinds).toEqual([
    "run-start",
    "step-start",
    "model-start",
    "tool-call-start",
    "tool-call-delta",
    "tool-call-end",
    "tool-call-start",
    "tool-call-delta",
    "tool-call-end",
    "model-end",
    "tool-start",
    "approval-request",
    "tool-end",
    "run-suspend",
    "run-resume",
    "approval-end",
    "tool-start",
    "tool-end",
    "step-end",
    "step-start",
    "model-start",
    "text-start",
    "text-delta",
    "text-end",
    "model-end",
    "step-end",
    "run-end",
  ]);
  const sequences = [...before, ...after].map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  expect(model.requests).toHaveLength(0);
});

test("a rule that fails calls nothing and fails the run", async () => {
  const refund = counted("refund");
  const broken = (): never => {
    throw new Error("policy server down");
  };
  const model = modelOf(call("refund"), "done");
  const agent = agentOf({ model, tools: [refund.tool], approval: { default: broken } });
  const result = await agent.ask("Refund me");
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "hook-failed", message: expect.stringContaining("policy server down") },
  });
  expect(refund.ran()).toBe(0);
});

test.each([
  [{ tool: {} }, 'unknown property "tool". Did you mean "tools"?'],
  [{ default: "maybe" }, 'must be "allow", "ask", "deny" or a function'],
  [{ annotations: { destructiv: "ask" } }, 'Did you mean "destructive"?'],
  [{ timeoutMs: 0 }, "timeoutMs"],
  [{ timeoutMs: Number.POSITIVE_INFINITY }, "timeoutMs"],
])("a policy that cannot be meant is refused: %j", (approval, message) => {
  expect(() => agentOf({ approval: approval as ApprovalPolicy })).toThrow(message);
});

/** What a run is told of rules that hold for nothing. */
async function unmatched(definition: Partial<AgentDefinition>, options: RunOptions = {}) {
  const source = { server: "shop", name: "purchase" };
  const approval: ApprovalPolicy = {
    tools: { purchse: "ask", buy: "allow", find_tools: "allow", refund: "deny" },
    servers: { shp: "deny", shop: "allow" },
  };
  const { tool } = counted("buy", { source });
  const agent = agentOf({ model: modelOf("ok"), tools: [tool], approval, ...definition });
  return (await collect(agent.stream("Hi", options))).flatMap((event) =>
    event.kind === "notice" && event.code === "approval-unmatched" ? [event.message] : [],
  );
}

const slips = [
  expect.stringMatching(/tool "purchse" holds for nothing.*Did you mean "purchase"\?/),
  expect.stringMatching(/server "shp" holds for nothing.*Did you mean "shop"\?/),
];

test("a rule for a name that the run has not is told, with the closest that there is", async () => {
  const [slip, other] = slips;
  const gone = expect.stringMatching(/tool "refund" holds for nothing/);
  expect(await unmatched({})).toEqual([slip, gone, other]);
});

test("where nothing can be called, no rule is told", async () => {
  expect(await unmatched({ tools: "none" })).toEqual([]);
  expect(await unmatched({}, { tools: "none" })).toEqual([]);
});

test("where the run itself has chosen, only what looks like a slip is told", async () => {
  const { tool } = counted("buy", { source: { server: "shop", name: "purchase" } });
  expect(await unmatched({}, { tools: [tool] })).toEqual(slips);
  expect(await unmatched({}, { mcp: "none" })).toEqual(slips);
  expect(await unmatched({}, { mcp: "inherit" })).toHaveLength(3);
});
