import { getEventListeners } from "node:events";
import { afterEach, expect, test } from "vitest";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import { fakeStdio, runningChildren } from "../../test/fixtures/mcp/servers.ts";
import { DragomanError } from "../base/dragoman-error.ts";
import { silentLogger } from "../base/logger.ts";
import { mcpToolset } from "../mcp/mcp-toolset.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { ScriptedTurn } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { OpenToolset, Toolset } from "../tool/toolset.ts";
import { MemoryRunStore } from "./memory-run-store.ts";

afterEach(() => {
  expect(runningChildren()).toEqual([]);
});

/** A toolset that counts what becomes of it, and whose tool says for whom it was opened. */
function counting(name: string, more: Partial<Toolset> = {}) {
  const log: string[] = [];
  const toolset: Toolset = {
    name,
    async open({ run }) {
      const whose = run.actor ?? "nobody";
      log.push(`open ${whose}`);
      return {
        tools: [defineTool({ name: "who", description: "Tells.", execute: () => whose })],
        close: async () => void log.push(`close ${whose}`),
      };
    },
    ...more,
  };
  return { toolset, log };
}

const asksWho: ScriptedTurn = ({ messages }) =>
  messages.at(-1)?.role === "tool" ? JSON.stringify(messages.at(-1)) : { calls: [{ name: "who" }] };

test("R14: starting connects once, sends nothing by itself, and stopping closes", async () => {
  const { toolset, log } = counting("crm");
  const model = modelOf("ok");
  const config = { defaults: { mcp: "none", tools: "none" } } as const;
  const agent = agentOf({ model, mcp: [toolset] }, config);
  const live = await agent.start();
  expect(log).toEqual(["open nobody"]);
  await live.ask("Hi");
  expect(model.requests[0]?.tools).toEqual([]);
  await live.ask("Hi", { mcp: "inherit", tools: "inherit" });
  expect(model.requests[1]?.tools).toMatchObject([{ name: "who" }]);
  await live.stop();
  await live.stop();
  expect(log).toEqual(["open nobody", "close nobody"]);
  await expect(async () => live.ask("Hi")).rejects.toThrow(/was stopped/);
});

test("a run of another actor opens connections of its own, and the kept ones stay whose they are", async () => {
  const { toolset, log } = counting("crm");
  const agent = agentOf({ model: modelOf(asksWho), mcp: [toolset] });
  await using live = await agent.start({ actor: "ada" });
  expect((await live.ask("Who?")).text).toContain("ada");
  expect((await live.ask("Who?", { actor: "eve" })).text).toContain("eve");
  expect((await live.ask("Who?")).text).toContain("ada");
  expect(log).toEqual(["open ada", "open eve", "close eve"]);
});

test("a server that fails is recorded, and each run tries it again", async () => {
  let up = false;
  const { toolset } = counting("crm");
  const flaky: Toolset = {
    ...toolset,
    open: (binding, observer) =>
      up
        ? toolset.open(binding, observer)
        : Promise.reject(new DragomanError("refused", { code: "mcp-connect-failed" })),
  };
  const model = modelOf("ok");
  await using live = await agentOf({ model, tools: [add], mcp: [flaky] }).start();
  expect(live.failedServers).toMatchObject([
    { name: "crm", error: { code: "mcp-connect-failed" } },
  ]);
  expect((await live.ask("Hi")).failedServers).toHaveLength(1);
  up = true;
  expect((await live.ask("Hi")).failedServers).toEqual([]);
  expect(live.failedServers).toEqual([]);
  expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 2]);
  expect((await live.availableTools()).map(({ name }) => name)).toEqual(["add", "who"]);
});

test("stopping cancels the runs that are under way", async () => {
  const live = await agentOf({ model: modelOf({ hangs: true }) }).start();
  const running = live.ask("Hi");
  await live.stop();
  expect(await running).toMatchObject({ status: "cancelled", reason: "the agent was stopped" });
});

test("servers that a run brings itself are opened for it and closed with it", async () => {
  const kept = counting("kept");
  const own = counting("own");
  await using live = await agentOf({ model: modelOf("ok"), mcp: [kept.toolset] }).start();
  await live.ask("Hi", { mcp: [own.toolset] });
  expect([kept.log, own.log]).toEqual([["open nobody"], ["open nobody", "close nobody"]]);
});

test("a chat of ten messages starts its stdio server once, and a server that died is started anew", async () => {
  let starts = 0;
  const files = mcpToolset({
    name: "files",
    transport: () => {
      starts += 1;
      return fakeStdio();
    },
  });
  const echoing: ScriptedTurn = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? JSON.stringify(messages.at(-1))
      : { calls: [{ name: "echo", arguments: { text: "hello" } }] };
  await using live = await agentOf({ model: modelOf(echoing), mcp: [files] }).start();
  const [first] = runningChildren();
  for (let message = 0; message < 10; message += 1) {
    expect((await live.ask("Echo hello")).text).toContain("hello");
  }
  expect([starts, runningChildren()]).toEqual([1, [first]]);
  process.kill(first ?? 0, "SIGKILL");
  // A call may still meet the dying process; then the model reads that it has ended.
  await live.ask("Echo hello");
  expect((await live.ask("Echo hello")).text).toContain("hello");
  expect(runningChildren()).not.toContain(first);
});

test("stopping ends also where a toolset does not open, fails to close, or does not close", async () => {
  const clock = manualClock();
  const late = Promise.withResolvers<OpenToolset>();
  const closed = Promise.withResolvers<void>();
  const fails = async (): Promise<void> => {
    throw new Error("the pipe is broken");
  };
  const open = (close: () => Promise<void>) => async () => ({ tools: [], close });
  const mcp: readonly Toolset[] = [
    { name: "hangs", open: () => late.promise },
    { name: "fails", open: open(fails) },
    { name: "holds", open: open(() => new Promise(() => {})) },
  ];
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (line: string) => void warnings.push(line) };
  const agent = agentOf({ model: modelOf("ok"), mcp }, { clock, logger });
  const starting = agent.start();
  clock.advance(3_000);
  const live = await starting;
  const stopping = live.stop();
  await new Promise(setImmediate); // its runs have ended, of which there are none
  clock.advance(15_000);
  await stopping;
  expect(warnings).toEqual([
    expect.stringContaining('"fails": the pipe is broken'),
    expect.stringContaining('"holds": it takes too long'),
  ]);
  late.resolve({ tools: [], close: async () => closed.resolve() });
  await closed.promise;
  expect(clock.pending).toBe(0);
});

test("an agent that is started with a signal lives no longer than it, and leaves nothing at it", async () => {
  const over = AbortSignal.abort("too late");
  await using dead = await agentOf({ model: modelOf("ok") }).start({ signal: over });
  expect(await dead.ask("Hi")).toMatchObject({ status: "cancelled", reason: "too late" });
  const { signal } = new AbortController();
  const live = await agentOf({ model: modelOf("ok") }).start({ signal });
  await live.ask("Hi");
  await live.stop();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("stopping waits until a run that somebody only reads has ended and is kept", async () => {
  const store = new MemoryRunStore();
  const live = await agentOf({ model: modelOf({ hangs: true }) }).start();
  const run = live.stream("Hi", { store });
  for await (const { kind } of run) {
    if (kind === "model-start") {
      await live.stop();
      break;
    }
  }
  const kept = await store.get({ app: "default", id: run.id });
  expect(kept).toMatchObject({ status: "cancelled" });
  expect(await run.result).toMatchObject({ status: "cancelled" });
});
