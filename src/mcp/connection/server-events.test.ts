import { afterEach, expect, test } from "vitest";
import { failureOf } from "../../../test/failure-of.ts";
import {
  createFakeServer,
  type Message,
  type Page,
} from "../../../test/fixtures/mcp/fake-server.ts";
import { instead, serve } from "../../../test/fixtures/mcp/http-peer.ts";
import { fakeStdio, referenceServer, runningChildren } from "../../../test/fixtures/mcp/servers.ts";
import {
  clientFor,
  discovered,
  type PeerExchange,
  serveStateless,
  textResult,
  toolCalled,
} from "../../../test/fixtures/mcp/stateless-peer.ts";
import { bindingFor, callTool, keepNotices } from "../../../test/fixtures/mcp/tool-call.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { McpClient } from "../client/mcp-client.ts";
import type { McpClientOptions } from "../client/mcp-client-options.ts";
import type { McpLog } from "../session/server-log.ts";
import { mcpToolset } from "../toolset/mcp-toolset.ts";
import type { McpCustomTransport } from "../wire/custom-link.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  expect(runningChildren()).toEqual([]);
});

async function fake(options: McpClientOptions): Promise<McpClient> {
  const client = new McpClient({ name: "fake", transport: fakeStdio() }, options);
  ends.push(() => client.disconnect());
  await client.connect();
  return client;
}

/** Has the fake server send these notifications. */
async function tell(client: McpClient, messages: readonly Message[]): Promise<void> {
  const requests = messages.map((message) => ({ jsonrpc: "2.0", ...message }));
  void client.callTool("ask", { requests }).catch(() => {}); // nobody answers a notification
  await client.callTool("received");
}

const changed = (list: string): Message => ({ method: `notifications/${list}/list_changed` });

test("changes of lists and resources are told of, many at once as one", async () => {
  const events: string[] = [];
  const clock = manualClock();
  const client = await fake({
    clock,
    onToolsChanged: () => void events.push("tools"),
    onPromptsChanged: () => void events.push("prompts"),
    onResourcesChanged: () => void events.push("resources"),
    onResourceUpdated: (uri) => void events.push(uri),
  });
  const updated = (uri: string): Message => ({
    method: "notifications/resources/updated",
    params: { uri },
  });
  await tell(client, [
    ...Array.from({ length: 100 }, () => changed("tools")),
    ...[changed("prompts"), changed("resources"), updated("a:1"), updated("a:2"), updated("a:1")],
  ]);
  expect(events).toEqual([]);
  clock.advance(200);
  expect(events).toEqual(["tools", "prompts", "resources", "a:1", "a:2"]);
  await tell(client, [changed("tools")]);
  clock.advance(200);
  expect(events.at(-1)).toBe("tools");
  expect(events).toHaveLength(6);
});

test("a listener that throws harms neither the connection nor the others", async () => {
  const heard: string[] = [];
  const notices: string[] = [];
  const client = await fake({
    onNotification: () => {
      throw new Error("mine");
    },
    onLog: ({ level }) => void heard.push(level),
    onNotice: (code, message) => void notices.push(`${code}: ${message}`),
  });
  await tell(client, [{ method: "notifications/message", params: { level: "error", data: 1 } }]);
  expect(heard).toEqual(["error"]);
  expect(notices[0]).toBe("mcp-listener-failed: A listener to what it tells threw: mine");
});

test("what a server logs is told of without invisible characters, and not at any length", async () => {
  const logs: McpLog[] = [];
  const client = await fake({ onLog: (log) => void logs.push(log) });
  const log = (params: Message): Message => ({ method: "notifications/message", params });
  await tell(client, [
    log({ level: "warning", logger: "db\u202e", data: { slow: true } }),
    log({ level: "shouting", data: "hi\u200b" }),
    log({ data: "x".repeat(100_000) }),
    log({ data: { text: "x".repeat(100_000) } }),
  ]);
  expect(logs.slice(0, 2)).toEqual([
    { level: "warning", logger: "db", data: { slow: true } },
    { level: "info", data: "hi" },
  ]);
  expect(logs.slice(2).map(({ data }) => String(data).length)).toEqual([16_384, 16_384]);
});

test("credentials that a server logs are hidden", async () => {
  const logs: McpLog[] = [];
  const transport = { ...fakeStdio(), env: { API_KEY: "s3cr3t-of-ours" } };
  const client = new McpClient(
    { name: "fake", transport },
    { onLog: (log) => void logs.push(log) },
  );
  ends.push(() => client.disconnect());
  await client.connect();
  const log = (data: unknown): Message => ({ method: "notifications/message", params: { data } });
  await tell(client, [log("key s3cr3t-of-ours"), log({ key: "s3cr3t-of-ours" })]);
  expect(logs).toHaveLength(2);
  expect(JSON.stringify(logs)).not.toContain("s3cr3t-of-ours");
});

test("a level is set once where there was a handshake, and asked for in each request where not", async () => {
  const levels: unknown[] = [];
  const initialize = { capabilities: { tools: {}, logging: {} } };
  const old = await serve({
    initialize,
    intercept: instead("logging/setLevel", (response, { message }) => {
      levels.push(message?.["params"]);
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message?.["id"], result: {} }));
    }),
  });
  await clientFor(old, { logLevel: "error" }, { protocol: "legacy" });
  await expect.poll(() => levels).toEqual([{ level: "error" }]);

  const key = "io.modelcontextprotocol/logLevel";
  const asked = async (options: McpClientOptions): Promise<unknown> => {
    const peer = await serveStateless();
    await (await clientFor(peer, options)).callTool("echo");
    return (peer.received.at(-1)?.params["_meta"] as Message | undefined)?.[key];
  };
  expect(await asked({ logLevel: "error" })).toBe("error");
  expect(await asked({ onLog: () => {} })).toBe("info");
  expect(await asked({})).toBeUndefined();
});

test("without a handshake changes are subscribed to, for those who listen and as far as they are offered", async () => {
  const listening: PeerExchange[] = [];
  const peer = await serveStateless({
    "server/discover": ({ result }) =>
      result({ ...discovered, capabilities: { tools: { listChanged: true }, prompts: {} } }),
    "subscriptions/listen": (listen) => void listening.push(listen),
  });
  await (await clientFor(peer)).callTool("echo");
  expect(listening).toHaveLength(0);

  const changes: number[] = [];
  const client = await clientFor(peer, {
    onToolsChanged: () => void changes.push(1),
    onPromptsChanged: () => {},
  });
  await expect.poll(() => listening.length).toBe(1);
  const [listen] = listening;
  expect(listen?.params["notifications"]).toEqual({ toolsListChanged: true });
  acknowledge(listen);
  listen?.tell("notifications/tools/list_changed", {});
  await expect.poll(() => changes).toEqual([1]);
  await client.disconnect();
  await listen?.closed;
});

test("a subscription that ends is taken up again, and what may have been missed is told of", async () => {
  const clock = manualClock();
  const listening: PeerExchange[] = [];
  const peer = await serveStateless({
    "subscriptions/listen": (listen) => void listening.push(listen),
  });
  const changes: number[] = [];
  await clientFor(peer, { clock, onToolsChanged: () => void changes.push(1) });
  await expect.poll(() => listening.length).toBe(1);
  acknowledge(listening[0]);
  listening[0]?.end();
  await expect
    .poll(() => {
      clock.advance(60_000);
      return listening.length;
    })
    .toBe(2);
  expect(changes).toEqual([]);
  acknowledge(listening[1]);
  await expect.poll(() => changes).toEqual([1]);
});

test("a server that refuses a subscription is not asked again", async () => {
  const clock = manualClock();
  const peer = await serveStateless();
  await clientFor(peer, { clock, onToolsChanged: () => {} });
  await expect.poll(() => peer.received.length).toBe(2);
  clock.advance(600_000);
  expect(peer.received.map(({ method }) => method)).toEqual([
    "server/discover",
    "subscriptions/listen",
  ]);
});

test("a resource is subscribed to without a gap between what was followed and what is", async () => {
  const listening: PeerExchange[] = [];
  const updated: string[] = [];
  const peer = await serveStateless({
    "subscriptions/listen": (listen) => {
      listening.push(listen);
      acknowledge(listen);
    },
  });
  const client = await clientFor(peer, { onResourceUpdated: (uri) => void updated.push(uri) });
  await client.subscribeResource("a:1");
  await client.subscribeResource("a:2");
  expect(listening.map(({ params }) => params["notifications"])).toEqual([
    { resourceSubscriptions: ["a:1"] },
    { resourceSubscriptions: ["a:1", "a:2"] },
  ]);
  await listening[0]?.closed;
  listening[1]?.tell("notifications/resources/updated", { uri: "a:2" });
  await expect.poll(() => updated).toEqual(["a:2"]);
  await client.unsubscribeResource("a:1");
  await client.unsubscribeResource("a:2");
  await listening[2]?.closed;
});

test("the everything server tells of a resource that was subscribed to, and logs", async () => {
  const updated = Promise.withResolvers<string>();
  const logged = Promise.withResolvers<McpLog>();
  const transport = referenceServer("everything", { args: ["stdio"] });
  const options: McpClientOptions = {
    onResourceUpdated: updated.resolve,
    onLog: logged.resolve,
    logLevel: "debug",
  };
  const client = new McpClient({ name: "every", transport }, options);
  ends.push(() => client.disconnect());
  await client.connect();
  const uri = "demo://resource/dynamic/text/1";
  await client.subscribeResource(uri);
  await client.callTool("toggle-subscriber-updates");
  expect(await updated.promise).toBe(uri);
  expect(await logged.promise).toMatchObject({ level: expect.any(String) });
  await client.unsubscribeResource(uri);
});

test("a server that has no resources refuses to tell of one", async () => {
  const client = await fake({});
  expect(await failureOf(client.subscribeResource("a:1"))).toMatchObject({
    code: "mcp-remote-error",
  });
});

test("an open toolset stays what it is, and its run hears that there are other tools", async () => {
  const pages: Record<string, { tools: object[] }> = { "": { tools: [toolCalled("old")] } };
  const clock = manualClock();
  const { transport, say: theirs } = inMemory(pages);
  const client = new McpClient({ name: "changing", transport }, { clock });
  ends.push(() => client.disconnect());
  const toolset = mcpToolset({ client });
  const observer = keepNotices();
  const run = await toolset.open(bindingFor(), observer);
  pages[""] = { tools: [toolCalled("new")] };
  theirs({ jsonrpc: "2.0", ...changed("tools") });
  await client.callTool("received");
  clock.advance(200);
  expect(observer.notices).toEqual([
    expect.stringContaining(
      'mcp-tools-changed: MCP server "changing": It publishes other tools now',
    ),
  ]);
  expect(run.tools.map(({ name }) => name)).toEqual(["old"]);
  await run.close();
  const next = await toolset.open(bindingFor(), keepNotices());
  expect(next.tools.map(({ name }) => name)).toEqual(["new"]);
  theirs({ jsonrpc: "2.0", ...changed("tools") });
  await client.callTool("received");
  clock.advance(200);
  expect(observer.notices).toHaveLength(1); // that run is over
  await next.close();
});

test("what a server logs while it works for a run becomes an event of that run", async () => {
  const peer = await serveStateless({
    "tools/call": (call) => {
      call.tell("notifications/message", { level: "notice", logger: "l", data: { n: 1 } });
      call.result(textResult("done"));
    },
  });
  const logs: unknown[] = [];
  const toolset = mcpToolset({
    name: "peer",
    transport: { type: "http", url: peer.url, allowInsecureHttp: true },
  });
  const observer = { ...keepNotices(), log: (entry: unknown) => void logs.push(entry) };
  const run = await toolset.open(bindingFor(), observer);
  ends.push(() => run.close());
  await callTool(run.tools[0], {});
  expect(logs).toEqual([{ level: "notice", logger: "l", data: { n: 1 } }]);
});

/** A server in this process, and a way to have it say something. */
function inMemory(pages: Readonly<Record<string, Page>>): {
  readonly transport: McpCustomTransport;
  say(message: Message): void;
} {
  const say = (message: Message): void => transport.onmessage?.(message as never); // as loose as it is
  const server = createFakeServer(say, { pages });
  const transport: McpCustomTransport = {
    start: async () => {},
    send: async (message) => server.receive(message as Message),
    close: async () => {},
  };
  return { transport, say };
}

function acknowledge(listen: PeerExchange | undefined): void {
  const { id, params } = listen ?? {};
  listen?.tell("notifications/subscriptions/acknowledged", {
    _meta: { "io.modelcontextprotocol/subscriptionId": id },
    notifications: params?.["notifications"],
  });
}
