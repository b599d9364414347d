import { expect, test } from "vitest";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import { toolCalled, toolsetOf } from "../../test/toolset-fixture.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { ScriptedModel, ScriptedTurn } from "../testing/scripted-model.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { ApprovalRule } from "./approval.ts";
import type { Run } from "./run.ts";

/** A toolset that opens when it is told to. */
function slowToolset(name: string, tool: string, more: Partial<Toolset> = {}) {
  const opening = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const toolset: Toolset = {
    name,
    async open() {
      await opening.promise;
      return { tools: [toolCalled(tool, name)], close: async () => closed.resolve() };
    },
    ...more,
  };
  return { toolset, ready: opening.resolve, closed: closed.promise };
}

/** Waits until so many servers are connected. */
async function connected(run: Run, count: number): Promise<void> {
  let seen = 0;
  for await (const { kind } of run) {
    seen += kind === "server-connect" ? 1 : 0;
    if (seen === count) {
      return;
    }
  }
}

const toolNames = (model: ScriptedModel) =>
  model.requests.map(({ tools }) => tools.map(({ name }) => name));

test("one server that hangs does not hold up the tools of nineteen others, and is told of", async () => {
  const hanging = slowToolset("hangs", "never");
  const others = Array.from({ length: 19 }, (_, index) =>
    toolsetOf(`server${index}`, [`tool${index}`]),
  );
  const clock = manualClock();
  const model = modelOf("ok");
  const agent = agentOf({ model, mcp: [hanging.toolset, ...others] }, { clock });
  const run = agent.stream("Hi");
  await connected(run, 19);
  clock.advance(3_000);
  let isOver = false;
  const ending = run.result.finally(() => {
    isOver = true;
  });
  await expect
    .poll(() => {
      clock.advance(1_000); // what is left is waited for so long
      return isOver;
    })
    .toBe(true);
  expect(toolNames(model)).toEqual([others.map((_, index) => `tool${index}`)]);
  expect((await ending).failedServers).toMatchObject([
    { name: "hangs", error: { code: "server-not-ready" } },
  ]);
  hanging.ready();
  await hanging.closed;
});

test("the tools of a server that becomes ready later join before the next model call", async () => {
  const late = slowToolset("late", "search");
  const clock = manualClock();
  const calling: ScriptedTurn = () => {
    late.ready();
    return { calls: [{ name: "add", arguments: { a: 1, b: 2 } }] };
  };
  const model = modelOf(calling, { calls: [{ name: "search" }] }, "ok");
  const mcp = [toolsetOf("fast", ["read"]), late.toolset];
  const agent = agentOf({ model, tools: [add], mcp }, { clock });
  const run = agent.stream("Hi");
  await connected(run, 1);
  clock.advance(3_000);
  expect(await run.result).toMatchObject({ status: "completed", failedServers: [] });
  expect(toolNames(model)).toEqual([
    ["add", "read"],
    ["add", "read", "search"],
    ["add", "read", "search"],
  ]);
  await late.closed;
});

test("a late tool whose name is taken gets another, and the one that stands keeps its own", async () => {
  const late = slowToolset("late", "read");
  const clock = manualClock();
  const calling: ScriptedTurn = () => {
    late.ready();
    return { calls: [{ name: "read" }] };
  };
  const model = modelOf(calling, "ok");
  const agent = agentOf({ model, mcp: [toolsetOf("fast", ["read"]), late.toolset] }, { clock });
  const run = agent.stream("Hi");
  await connected(run, 1);
  clock.advance(3_000);
  await run.result;
  expect(toolNames(model)).toEqual([["read"], ["read", "late_read"]]);
});

test("a server that must be there is waited for", async () => {
  const needed = slowToolset("needed", "search", { onUnavailable: "fail" });
  const clock = manualClock();
  const model = modelOf("ok");
  const agent = agentOf({ model, mcp: [toolsetOf("fast", ["read"]), needed.toolset] }, { clock });
  const run = agent.stream("Hi");
  await connected(run, 1);
  clock.advance(60_000);
  needed.ready();
  await run.result;
  expect(toolNames(model)).toEqual([["read", "search"]]);
});

test("a server that is open when its run cannot be recorded is closed, and is not what failed", async () => {
  const toolset = toolsetOf("crm", ["read"]);
  const agent = agentOf({ model: modelOf("ok"), mcp: [toolset] });
  const result = await agent.ask("Hi", { store: new MortalStore(0) });
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "store-unavailable" },
    failedServers: [],
  });
  expect(toolset.log).toEqual(["open", "close"]);
});

test.each(["get", "set"])(
  "a catalogue store whose %s does not answer does not hold a cancelled run",
  async (method) => {
    const toolset = toolsetOf("crm", ["read"], { catalogueKey: () => "crm" });
    const asked = Promise.withResolvers<void>();
    const never = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const catalogues = { get: async () => undefined, set: async () => {}, [method]: never };
    const discovery = { servers: true, tools: { limit: 1 } };
    const agent = agentOf({ model: modelOf("ok"), mcp: [toolset], discovery }, { catalogues });
    const run = agent.stream("Hi");
    const { result } = run;
    await asked.promise;
    run.cancel();
    expect(await result).toMatchObject({ status: "cancelled" });
    expect(toolset.log.filter((what) => what === "open")).toHaveLength(toolset.log.length / 2);
  },
);

test("a tool keeps its name when its run is resumed, although both servers are there from the beginning", async () => {
  const late = slowToolset("late", "read");
  const clock = manualClock();
  const calling: ScriptedTurn = () => {
    late.ready();
    return { calls: [{ name: "read" }] };
  };
  const model = modelOf(calling, { calls: [{ id: "c1", name: "read" }] }, "ok");
  const mcp = [late.toolset, toolsetOf("fast", ["read"])];
  const rule: ApprovalRule = ({ tainted }) => (tainted ? "ask" : "allow");
  const approval = { tools: { read: rule } };
  const agent = agentOf({ model, mcp, approval }, { clock });
  const run = agent.stream("Hi");
  await connected(run, 1);
  clock.advance(3_000);
  expect(await run.result).toMatchObject({ status: "suspended" });
  const decisions = { "approval:c1": { kind: "approve" } } as const;
  const resumed = await agent.resume(run.id, { decisions });
  expect(resumed).toMatchObject({ status: "completed", text: "ok" });
  expect(toolNames(model).slice(1)).toEqual([
    ["read", "late_read"],
    ["read", "late_read"],
  ]);
  const results = resumed.messages.flatMap((one) => (one.role === "tool" ? one.content : []));
  expect(results.map(({ content }) => content)).toEqual([
    [{ kind: "text", text: "fast" }],
    [{ kind: "text", text: "fast" }],
  ]);
});
