import { expect, test } from "vitest";
import { working } from "../../test/assembly-kinds.ts";
import { type Crew, crew } from "../../test/crew.ts";
import type { Assembly } from "../agent/assembly.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { RunResult } from "../agent/run-result.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { Toolset } from "../tool/toolset.ts";

const yes: Decision = { kind: "approve" };
const key = (id: string) => ({ app: "default", id });
const careful = { default: "ask" } as const;

const noting = (name: string, log: string[]): Tool =>
  defineTool({
    name,
    description: name,
    execute(_input, { binding }) {
      log.push(binding.run.agentPath.join("/"));
      return name;
    },
  });

const waitingOf = (result: RunResult) => (result.status === "suspended" ? result.waitingFor : []);

/** Decides on all that is waited for, the last first, one at a time. */
async function decideBackwards(
  assembly: Assembly,
  first: RunResult,
  store: RunStore,
): Promise<RunResult> {
  let result = first;
  while (result.status === "suspended") {
    const id = result.waitingFor.at(-1)?.id ?? "";
    result = await assembly.resume(result.runId, { store, decisions: { [id]: yes } });
  }
  return result;
}

test("branches that wait are decided one after the other, in any order, each for itself", async () => {
  const log: string[] = [];
  const team = crew();
  const pay = noting("pay", log);
  const payer = (name: string) =>
    team.member(name, working("pay", name), { tools: [pay], approval: careful });
  const inner = team.defineLoop({ name: "inner", members: [payer("a")], maxRounds: 2 });
  const graph = team.defineGraph({
    name: "graph",
    nodes: { inner, b: payer("b"), start: team.member("start", "go") },
    edges: [
      { from: "start", to: "inner" },
      { from: "start", to: "b" },
    ],
    start: "start",
  });
  const outer = team.defineNetwork({ name: "outer", tasks: [graph, payer("c")] });
  const store = new MemoryRunStore();
  const first = await outer.ask("Go", { store });
  expect(waitingOf(first).map(({ agentPath }) => agentPath.join("/"))).toEqual([
    "outer/graph/inner/a",
    "outer/graph/b",
  ]);
  const result = await decideBackwards(outer, first, store);
  expect(result).toMatchObject({ status: "completed", text: "c" });
  expect(log).toEqual(["outer/graph/b", "outer/graph/inner/a", "outer/graph/inner/a", "outer/c"]);
  expect(team.model("start").requests).toHaveLength(1);
});

test("two delegations to one agent in one turn keep their own answers, whichever goes first", async () => {
  const team = crew();
  const helper = team.member("helper", ({ messages }) => {
    const last = messages.findLast(({ role }) => role === "user");
    return `answer to ${JSON.stringify(last).includes("left") ? "left" : "right"}`;
  });
  const rightIsDone = Promise.withResolvers<void>();
  const delegating = (id: string) => ({
    id,
    name: "delegate_to_helper",
    arguments: { request: id },
  });
  const calls = [delegating("left"), delegating("right")];
  const boss = team.member("boss", [{ calls }, { calls: [{ name: "pay" }] }, "ok"], {
    tools: [helper, noting("pay", [])],
    approval: { tools: { pay: "ask" } },
    hooks: {
      // The first time the second goes first; when the run is resumed, none has to wait.
      async beforeTool({ id }) {
        await (id === "left" ? rightIsDone.promise : undefined);
      },
      async afterTool(_result, { call }) {
        await (call.id === "right" ? rightIsDone.resolve() : undefined);
      },
    },
  });
  const store = new MemoryRunStore();
  const result = await decideBackwards(boss, await boss.ask("Go", { store }), store);
  const parts = result.messages.flatMap((one) => (one.role === "tool" ? one.content : []));
  expect(parts.slice(0, 2).map(({ id, content }) => [id, JSON.stringify(content)])).toEqual([
    ["left", expect.stringContaining("answer to left")],
    ["right", expect.stringContaining("answer to right")],
  ]);
  expect(team.model("helper").requests).toHaveLength(2);
});

test("one agent that a workflow asks several times at once finds its own steps, in whatever order", async () => {
  const team = crew();
  const pay = noting("pay", []);
  const echo = team.member("echo", ({ messages }) => {
    const last = messages.findLast(({ role }) => role === "user");
    return `echo ${last?.role === "user" ? JSON.stringify(last.content) : ""}`;
  });
  const payer = team.member("payer", working("pay", "paid"), { tools: [pay], approval: careful });
  const gates = new Map(["a", "b"].map((item) => [item, Promise.withResolvers<void>()] as const));
  const flow = team.defineWorkflow(
    async ({ ask, step }) => {
      const answers = await Promise.all(
        ["a", "b"].map(async (item) => {
          await step(`wait ${item}`, async () => {
            await gates.get(item)?.promise; // the second goes first, the first time
          });
          const { text } = await ask(echo, item);
          gates.get("a")?.resolve();
          return text;
        }),
      );
      await ask(payer, "Pay");
      return answers.join(" ");
    },
    { name: "flow" },
  );
  gates.get("b")?.resolve();
  const store = new MemoryRunStore();
  const result = await decideBackwards(flow, await flow.ask("Go", { store }), store);
  expect(result.text).toMatch(/echo .*"a".* echo .*"b"/);
  expect(team.model("echo").requests).toHaveLength(2);
});

/** An agent whose model fails at first, and would answer later. */
function failingOnce(team: Crew): Assembly {
  let asked = 0;
  return team.member(
    "weak",
    () => {
      asked += 1;
      return asked === 1 ? { error: new Error("not today") } : `answer ${asked}`;
    },
    { retry: { maxAttempts: 1 } },
  );
}

test("a branch that has failed stays so while another one waits", async () => {
  const team = crew();
  const pay = noting("pay", []);
  const payer = team.member("payer", working("pay", "paid"), { tools: [pay], approval: careful });
  const both = team.defineParallel({
    name: "both",
    members: [failingOnce(team), payer],
    onFailure: "collect",
  });
  const store = new MemoryRunStore();
  const result = await decideBackwards(both, await both.ask("Go", { store }), store);
  expect(result).toMatchObject({
    status: "completed",
    output: {
      weak: { status: "failed", error: { message: "not today" } },
      payer: { text: "paid" },
    },
    participants: [{ name: "weak", result: { status: "failed" } }, { name: "payer" }],
  });
  expect(team.model("weak").requests).toHaveLength(1);
});

test("a workflow and an agent that went on after a failure go the same way again", async () => {
  const team = crew();
  const pay = noting("pay", []);
  const payer = team.member("payer", working("pay", "paid"), { tools: [pay], approval: careful });
  const weak = failingOnce(team);
  const flow = team.defineWorkflow(
    async ({ tryToAsk, ask }) => {
      const { status } = await tryToAsk(weak, "Go");
      return status === "failed" ? (await ask(payer, "Pay")).text : "another way";
    },
    { name: "flow" },
  );
  const store = new MemoryRunStore();
  const result = await decideBackwards(flow, await flow.ask("Go", { store }), store);
  expect(result).toMatchObject({ status: "completed", text: "paid" });
  const other = crew();
  const boss = other.member(
    "boss",
    [
      { calls: [{ name: "delegate_to_weak", arguments: { request: "Go" } }] },
      { calls: [{ name: "pay" }] },
      "ok",
    ],
    { tools: [failingOnce(other), pay], approval: { tools: { pay: "ask" } } },
  );
  const end = await decideBackwards(boss, await boss.ask("Go", { store }), store);
  expect(end).toMatchObject({
    status: "completed",
    participants: [{ result: { status: "failed" } }],
  });
  expect(JSON.stringify(end.messages)).toContain("not today");
  expect(other.model("weak").requests).toHaveLength(1);
});

test("what a failing branch has cancelled stays so, in a whole that goes on", async () => {
  const team = crew();
  const pay = noting("pay", []);
  const payer = team.member("payer", working("pay", "paid"), { tools: [pay], approval: careful });
  const hangs = team.member("hangs", [{ hangs: true }, "too late"]);
  const inner = team.defineParallel({ name: "inner", members: [hangs, failingOnce(team)] });
  const outer = team.defineParallel({
    name: "outer",
    members: [inner, payer],
    onFailure: "collect",
  });
  const store = new MemoryRunStore();
  const result = await decideBackwards(outer, await outer.ask("Go", { store }), store);
  expect(result).toMatchObject({ status: "completed", output: { inner: { status: "failed" } } });
  expect([team.model("hangs"), team.model("weak")].map(({ requests }) => requests.length)).toEqual([
    1, 1,
  ]);
});

test("a branch that is done opens its servers no more, and is told of as before", async () => {
  const team = crew();
  const opened: string[] = [];
  const server = (name: string, fails = false): Toolset => ({
    name,
    async open() {
      opened.push(name);
      if (fails) {
        throw new Error("no such server");
      }
      const source = { server: name, name: "look" };
      return {
        tools: [defineTool({ name: "look", description: "l", source, execute: () => "seen" })],
        close: async () => {},
      };
    },
  });
  const reader = team.member("reader", working("look", "read"), {
    mcp: [server("there"), server("gone", true)],
  });
  const pay = noting("pay", []);
  const payer = team.member("payer", working("pay", "paid"), { tools: [pay], approval: careful });
  const desk = team.defineSequence({ name: "desk", members: [reader, payer] });
  const store = new MemoryRunStore();
  const first = await desk.ask("Go", { store });
  const result = await decideBackwards(desk, first, store);
  expect(opened).toEqual(["there", "gone"]);
  expect(result).toMatchObject({ status: "completed", failedServers: [{ name: "gone" }] });
  expect(result.participants[0]?.result.messages).toEqual(first.participants[0]?.result.messages);
});

test("a workflow reads of the memory what it has read, and sets nothing twice", async () => {
  const log: unknown[] = [];
  const team = crew();
  const put = defineTool({
    name: "put",
    description: "Puts.",
    execute: (_input, { binding }) => binding.run.memory?.set("phase", "second"),
  });
  const pay = noting("pay", []);
  const putter = team.member("putter", working("put", "ok"), { tools: [put] });
  const payer = team.member("payer", working("pay", "paid"), { tools: [pay], approval: careful });
  const flow = team.defineWorkflow(
    async ({ ask, memory }) => {
      log.push(memory.get("phase"), memory.keys().length);
      await memory.set("phase", "first");
      await ask(putter, "Put");
      await ask(payer, "Pay");
      return String(memory.get("phase"));
    },
    { name: "flow" },
  );
  const store = new MemoryRunStore();
  const result = await decideBackwards(flow, await flow.ask("Go", { store }), store);
  expect(result.text).toBe("second");
  expect(log).toEqual([undefined, 0, undefined, 0]);
  const sets = (await store.events(key(result.runId))).filter(({ kind }) => kind === "memory-set");
  expect(sets).toHaveLength(2);
});
