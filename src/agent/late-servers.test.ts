import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { broken, toolCalled, toolsetOf } from "../../test/toolset-fixture.ts";
import { DragomanError } from "../base/dragoman-error.ts";
import { type ManualClock, manualClock } from "../testing/manual-clock.ts";
import type { ScriptedModel, ScriptedTurn } from "../testing/scripted-model.ts";
import type { Toolset } from "../tool/toolset.ts";
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

/** Waits until a server that does not give up is left to itself. */
async function givenUp(run: Run, clock: ManualClock): Promise<void> {
  for await (const { kind } of run) {
    if (kind === "server-fail") {
      break;
    }
  }
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(1_000);
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
  await givenUp(run, clock);
  const result = await run.result;
  expect(toolNames(model)).toEqual([others.map((_, index) => `tool${index}`)]);
  expect(result.failedServers).toMatchObject([
    { name: "hangs", error: { code: "server-not-ready" } },
  ]);
  hanging.ready();
  await hanging.closed;
});

test("a server that is expected to be away sometimes is not ready in time as quietly", async () => {
  const told: unknown[] = [];
  const onError = (error: unknown): void => void told.push(error);
  const slow = slowToolset("slow", "search", { onUnavailable: "ignore", onError });
  const clock = manualClock();
  const mcp = [toolsetOf("fast", ["read"]), slow.toolset];
  const run = agentOf({ model: modelOf("ok"), mcp }, { clock }).stream("Hi");
  await connected(run, 1);
  clock.advance(3_000);
  await expect.poll(() => told).toMatchObject([{ code: "server-not-ready" }]);
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(1_000);
  expect(await run.result).toMatchObject({ status: "completed", failedServers: [] });
  const events = await collect(run);
  expect(events.some(({ kind }) => kind === "server-fail")).toBe(false);
  slow.ready();
  await slow.closed;
});

test("a run that fails for a server that must be there waits for no other server", async () => {
  const slow = slowToolset("slow", "search");
  const clock = manualClock();
  const agent = agentOf(
    { model: modelOf("ok"), mcp: [slow.toolset, broken("down", "fail")] },
    { clock },
  );
  const { result } = agent.stream("Hi");
  // It only lets the other one go.
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(1_000);
  expect(await result).toMatchObject({ status: "failed", error: { code: "server-unavailable" } });
  slow.ready();
  await slow.closed;
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

test("what an expected failure's callback throws fails the run also where the server was late", async () => {
  const opening = Promise.withResolvers<never>();
  const late: Toolset = {
    name: "late",
    onUnavailable: "ignore",
    onError: () => {
      throw new Error("callback broke");
    },
    open: () => opening.promise,
  };
  const clock = manualClock();
  const calling: ScriptedTurn = () => {
    opening.reject(new DragomanError("refused", { code: "mcp-connect-failed" }));
    return { calls: [{ name: "read" }] };
  };
  const model = modelOf(calling, "ok");
  const agent = agentOf({ model, mcp: [toolsetOf("fast", ["read"]), late] }, { clock });
  const run = agent.stream("Hi");
  await connected(run, 1);
  clock.advance(3_000);
  expect(await run.result).toMatchObject({
    status: "failed",
    error: { code: "callback-failed", message: expect.stringContaining("callback broke") },
  });
});
