import { getEventListeners } from "node:events";
import { afterEach, expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { fakePeer } from "../../test/fixtures/mcp/fake-transport.ts";
import { serve } from "../../test/fixtures/mcp/http-peer.ts";
import { fakeStdio, runningChildren } from "../../test/fixtures/mcp/servers.ts";
import {
  type PeerExchange,
  serveStateless,
  toolCalled,
} from "../../test/fixtures/mcp/stateless-peer.ts";
import { DragomanError } from "../base/dragoman-error.ts";
import { silentLogger } from "../base/logger.ts";
import { McpClient } from "../mcp/client/mcp-client.ts";
import { mcpToolset } from "../mcp/toolset/mcp-toolset.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { ScriptedModel, ScriptedTurn } from "../testing/scripted-model.ts";
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

test("stopping waits for the end of runs that are streamed, and starts none that was not read", async () => {
  const model = modelOf({ hangs: true });
  const live = await agentOf({ model }).start();
  const [read, waited, unread] = [live.stream("a"), live.stream("b"), live.stream("c")];
  const ended: string[] = [];
  const reading = collect(read).then(() => void ended.push("read"));
  const waiting = waited.result.then(() => void ended.push("waited"));
  await expect.poll(() => model.requests.length).toBe(2);
  await live.stop();
  ended.push("stopped");
  await Promise.all([reading, waiting]);
  expect(ended.toSorted()).toEqual(["read", "stopped", "waited"]);
  expect(ended.indexOf("stopped")).toBeGreaterThan(ended.indexOf("waited"));
  expect(model.requests).toHaveLength(2);
  expect((await unread.result).status).toBe("cancelled");
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
  await expect.poll(() => clock.pending).toBe(0);
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

const listChanged = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

const toolsOfLast = ({ requests }: ScriptedModel): readonly string[] =>
  requests.at(-1)?.tools.map(({ name }) => name) ?? [];

test("a server that publishes other tools gives them to the next run, over the same connection", async () => {
  const pages: Record<string, { tools: object[] }> = { "": { tools: [toolCalled("old")] } };
  const peer = fakePeer({ pages });
  const mapped: string[] = [];
  const changing = mcpToolset({
    name: "changing",
    transport: () => peer.transport,
    mapTool: (tool) => {
      mapped.push(tool.name);
      return tool;
    },
  });
  const model = modelOf("ok");
  await using live = await agentOf({ model, mcp: [changing] }).start();
  await live.ask("Hi");
  await live.ask("Hi");
  expect([toolsOfLast(model), mapped]).toEqual([["old"], ["old"]]);
  pages[""] = { tools: [toolCalled("new")] };
  peer.say(listChanged);
  await Promise.resolve();
  await Promise.all([live.ask("Hi"), live.ask("Hi")]);
  expect(model.requests.slice(2).map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["new"],
    ["new"],
  ]);
  await live.ask("Hi");
  expect((await live.availableTools()).map(({ name }) => name)).toEqual(["new"]);
  const methods = peer.received.map(({ method }) => method);
  expect(methods.filter((method) => method === "initialize")).toHaveLength(1);
  expect(methods.filter((method) => method === "tools/list")).toHaveLength(2);
});

test("a server without a handshake is asked to tell of changes while a run lasts, or it is kept", async () => {
  const listening: PeerExchange[] = [];
  let tool = "old";
  const peer = await serveStateless({
    "tools/list": ({ result }) => result({ resultType: "complete", tools: [toolCalled(tool)] }),
    "subscriptions/listen": (listen) => void listening.push(listen),
  });
  const transport = { type: "http", url: peer.url, allowInsecureHttp: true } as const;
  const model = modelOf("ok");
  const agent = agentOf({ model, mcp: [mcpToolset({ name: "peer", transport })] });
  await agent.ask("Hi");
  await Promise.all(listening.map(({ closed }) => closed));
  const before = listening.length;
  await using live = await agent.start();
  await expect.poll(() => listening.length).toBe(before + 1);
  const meta = { "io.modelcontextprotocol/subscriptionId": listening.at(-1)?.id };
  listening.at(-1)?.tell("notifications/subscriptions/acknowledged", { _meta: meta });
  tool = "new";
  listening.at(-1)?.tell("notifications/tools/list_changed", { _meta: meta });
  await expect
    .poll(async () => {
      await live.ask("Hi");
      return toolsOfLast(model);
    })
    .toEqual(["new"]);
});

test("a client of the application's whose program has ended is connected again for the next run", async () => {
  await using client = new McpClient({ name: "files", transport: fakeStdio() });
  const echoing: ScriptedTurn = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? JSON.stringify(messages.at(-1))
      : { calls: [{ name: "echo" }] };
  const agent = agentOf({ model: modelOf(echoing), mcp: [mcpToolset({ client })] });
  await using live = await agent.start();
  await client.callTool("exit", { code: 3, words: "bye" }).catch(() => {});
  await expect.poll(() => client.connected).toBe(false);
  expect((await live.ask("Echo")).text).toContain('"isError":false');
  await live.stop();
  expect(client.connected).toBe(true);
});

test("what a kept server logs and what is noticed of it are events of the runs under way", async () => {
  const peer = fakePeer({});
  const chatty = mcpToolset({ name: "chatty", transport: () => peer.transport });
  const calling: ScriptedTurn = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? "ok"
      : { calls: [{ name: "flood", arguments: { count: 1 } }] };
  await using live = await agentOf({ model: modelOf(calling), mcp: [chatty] }).start();
  for (let count = 0; count < 2; count += 1) {
    const events = await collect(live.stream("Hi"));
    expect(events.filter(({ kind }) => kind === "server-log")).toMatchObject([
      { server: "chatty", level: "info", data: "x" },
    ]);
  }
});

test("a toolset that throws before it opens anything is tried again, too", async () => {
  const { toolset } = counting("crm");
  let up = false;
  const throwing: Toolset = {
    ...toolset,
    open(binding, observer) {
      if (!up) {
        throw new DragomanError("refused", { code: "mcp-connect-failed" });
      }
      return toolset.open(binding, observer);
    },
  };
  await using live = await agentOf({ model: modelOf("ok"), mcp: [throwing] }).start();
  up = true;
  expect((await live.ask("Hi")).failedServers).toEqual([]);
});

test("stopping does not wait for a toolset that never opens and never gives up", async () => {
  const clock = manualClock();
  const stuck: Toolset = { name: "stuck", open: () => new Promise(() => {}) };
  const starting = agentOf({ model: modelOf("ok"), mcp: [stuck] }, { clock }).start();
  clock.advance(3_000);
  const live = await starting;
  const stopping = live.stop();
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(1_000);
  await stopping;
});

test("a token that has expired is asked for again, before the next run", async () => {
  let valid = "first";
  const peer = await serve({
    intercept: ({ headers }, response) => {
      const isRefused = headers.authorization !== `Bearer ${valid}`;
      if (isRefused) {
        response.writeHead(401).end();
      }
      return isRefused;
    },
  });
  const guarded = mcpToolset({
    name: "guarded",
    transport: () => ({ type: "http", url: peer.url, allowInsecureHttp: true, token: valid }),
  });
  const echoing: ScriptedTurn = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? JSON.stringify(messages.at(-1))
      : { calls: [{ name: "echo" }] };
  await using live = await agentOf({ model: modelOf(echoing), mcp: [guarded] }).start();
  expect((await live.ask("Echo")).text).toContain('"isError":false');
  valid = "second";
  expect((await live.ask("Echo")).text).toContain("HTTP 401");
  expect((await live.ask("Echo")).text).toContain('"isError":false');
});
