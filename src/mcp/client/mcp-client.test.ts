import { InMemoryTransport } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "vitest";
import { failureOf } from "../../../test/failure-of.ts";
import { createFakeServer, type Message } from "../../../test/fixtures/mcp/fake-server.ts";
import type { StdioBehaviour } from "../../../test/fixtures/mcp/fake-stdio-server.ts";
import { serve } from "../../../test/fixtures/mcp/http-peer.ts";
import { fakeStdio, referenceServer, runningChildren } from "../../../test/fixtures/mcp/servers.ts";
import { bindingFor, callTool, keepNotices } from "../../../test/fixtures/mcp/tool-call.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { JsonObject } from "../../base/json.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import type { McpConnectionConfig } from "../connection/mcp-connection-config.ts";
import { mcpToolset } from "../toolset/mcp-toolset.ts";
import { McpError } from "../wire/mcp-error.ts";
import { McpClient } from "./mcp-client.ts";
import type { McpClientOptions } from "./mcp-client-options.ts";

const made: McpClient[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((client) => client.disconnect()));
  expect(runningChildren()).toEqual([]);
});

function clientOf(config: McpConnectionConfig, options?: McpClientOptions): McpClient {
  const client = new McpClient(config, options);
  made.push(client);
  return client;
}

const fake = (behaviour: StdioBehaviour = {}, options?: McpClientOptions): McpClient =>
  clientOf({ name: "fake", transport: fakeStdio(behaviour), timeoutMs: 10_000 }, options);

const everything = (): McpClient =>
  clientOf({ name: "every", transport: referenceServer("everything", { args: ["stdio"] }) });

/** A transport of the SDK with a fake server at its other end. */
async function inMemory(): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const brain = createFakeServer((message) => void theirs.send(message as never)); // as loose as it is
  theirs.onmessage = (message) => brain.receive(message as unknown as Message);
  await theirs.start();
  return ours;
}

const refusal = (config: unknown): unknown => {
  try {
    return new McpClient(config as McpConnectionConfig); // which it is not, that is the point
  } catch (error) {
    return error;
  }
};

test.each<[string, unknown, string]>([
  [
    "an unknown type",
    { type: "bogus" },
    "Invalid transport type: bogus. Must be one of: stdio, sse, ws, websocket, streamable-http, http",
  ],
  ["no type", { command: "x" }, '"type" is missing in the transport: one of stdio, sse, ws'],
  ["no command", { type: "stdio" }, '"command" is missing in the stdio transport'],
  ["no url", { type: "sse" }, '"url" is missing in the sse transport'],
  ["no url", { type: "websocket" }, '"url" is missing in the websocket transport'],
  ["an unknown key", { type: "ws", url: "wss://h", haeders: {} }, 'Unknown key "haeders"'],
  ["a flat transport", "stdio", '"transport" must be an object'],
  ["http", { type: "sse", url: "http://h/sse" }, "allowInsecureHttp"],
  ["another scheme", { type: "ws", url: "https://h" }, "must begin with wss:// or ws://"],
  [
    "messages elsewhere",
    { type: "sse", url: "https://h/sse", messagesUrl: "https://i/m" },
    'must be of the same origin as "url"',
  ],
  [
    "two tokens",
    { type: "http", url: "https://h", token: "t", auth: { token: () => "t" } },
    '"auth"',
  ],
])("R3: a client of a transport with %s is not made", (_what, transport, words) => {
  const error = refusal({ name: "a", transport });
  expect(error).toSatisfy(ConfigurationError.is);
  expect(String(error)).toContain(words);
});

test("R2: name and transport are required, and the time limit is 15 s where it is not given", async () => {
  expect(String(refusal({ transport: fakeStdio() }))).toContain('"name" is missing');
  expect(String(refusal({ name: "a" }))).toContain('"transport" is missing');
  const clock = manualClock();
  const connecting = failureOf(
    clientOf({ name: "a", transport: fakeStdio({ silent: true }) }, { clock }).connect(),
  );
  await expect.poll(() => runningChildren().length).toBe(1);
  clock.advance(15_000);
  expect(await connecting).toMatchObject({
    code: "mcp-timeout",
    message: expect.stringContaining("within 15000 ms"),
  });
});

test("R6: a client connects, lists, calls and disconnects", async () => {
  const client = fake();
  expect(client.connected).toBe(false);
  await client.connect();
  expect(client).toMatchObject({
    connected: true,
    connectError: undefined,
    serverInfo: { name: "fake", version: "1.2.3" },
    capabilities: { tools: {} },
    protocolVersion: "2025-11-25",
  });
  const names = (await client.listTools()).map(({ sourceName }) => sourceName);
  expect(names).toContain("echo");
  const result = await client.callTool("echo", { a: 1 }, { meta: { "x/y": 2 } });
  expect(JSON.stringify(result)).toMatch(/\\"arguments\\":\{\\"a\\":1\}.*\\"x\/y\\":2/);
  await client.disconnect();
  expect(client.connected).toBe(false);
  expect(runningChildren()).toEqual([]);
});

test("R6: tryConnect keeps the failure and leaves connected false", async () => {
  const client = fake({ exitCode: 3, stderr: "no luck\n" });
  expect(await client.tryConnect()).toBe(false);
  expect(client.connected).toBe(false);
  expect(String(client.connectError)).toContain("ended with exit code 3");
  const throwing = fake({ exitCode: 3 });
  await expect(throwing.connect()).rejects.toThrow("ended with exit code 3");
  expect(String(throwing.connectError)).toContain("ended with exit code 3");
});

test("R7: a request without a connection is an error of MCP", async () => {
  const client = fake();
  const requests = [
    client.listTools(),
    client.callTool("echo"),
    client.listResources(),
    client.listResourceTemplates(),
    client.readResource("a:b"),
    client.listPrompts(),
    client.getPrompt("a"),
    client.complete({ type: "ref/prompt", name: "a" }, { name: "b", value: "" }),
  ];
  for (const request of requests) {
    const error = await failureOf(request);
    expect(error).toSatisfy(McpError.is);
    expect(error).toMatchObject({ code: "mcp-not-connected", server: "fake" });
  }
});

test.each([
  ["http", "http://127.0.0.1:1/"],
  ["sse", "http://127.0.0.1:1/"],
  ["ws", "ws://127.0.0.1:1/"],
] as const)("R7: nobody at the other end of %s is an error of MCP", async (type, url) => {
  const transport = { type, url, allowInsecureHttp: true };
  const error = await failureOf(clientOf({ name: "far", transport }).connect());
  expect(error).toSatisfy(McpError.is);
  expect(error).toMatchObject({ code: "mcp-connect-failed", server: "far" });
});

test("R7: what is no MCP is an error of MCP", async () => {
  const { url } = await serve({
    intercept: (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      return true;
    },
  });
  const transport = { type: "http", url, allowInsecureHttp: true } as const;
  const error = await failureOf(clientOf({ name: "far", transport }).connect());
  expect(error).toSatisfy(McpError.is);
  expect(error).toMatchObject({ code: "mcp-protocol", server: "far" });
});

test("R6, R7: a program that ends fails its calls at once and says why; connect starts it anew", async () => {
  const client = fake();
  await client.connect();
  const hanging = failureOf(client.callTool("hang"));
  const ended = failureOf(client.callTool("exit", { code: 4, words: "out of luck" }));
  for (const failure of [await hanging, await ended]) {
    expect(failure).toMatchObject({ code: "mcp-connection-closed" });
    expect(String(failure)).toMatch(/ended with exit code 4[\s\S]*out of luck/);
  }
  expect(client.connected).toBe(false);
  expect(await failureOf(client.callTool("echo"))).toMatchObject({ code: "mcp-connection-closed" });
  await client.connect();
  expect(await client.callTool("echo")).toHaveProperty("content");
});

test("several callers that connect at once make one connection, and one who leaves does not end it", async () => {
  const client = fake();
  const leaving = new AbortController();
  const left = failureOf(client.connect({ signal: leaving.signal }));
  const staying = client.connect();
  leaving.abort(new Error("left"));
  expect(String(await left)).toContain("left");
  await staying;
  expect(client.connected).toBe(true);
  expect(runningChildren()).toHaveLength(1);
});

test("disconnecting while connecting leaves no process", async () => {
  const client = fake({ silent: true });
  const connecting = failureOf(client.connect());
  await expect.poll(() => runningChildren().length).toBe(1);
  await client.disconnect();
  expect(await connecting).toMatchObject({ code: "mcp-not-connected" });
  expect(runningChildren()).toEqual([]);
});

test("a time limit, an abort and a lost connection are three different things", async () => {
  const client = fake();
  await client.connect();
  const late = failureOf(client.callTool("hang", {}, { timeoutMs: 50 }));
  expect(await late).toMatchObject({ code: "mcp-timeout" });
  const controller = new AbortController();
  const aborted = failureOf(client.callTool("hang", {}, { signal: controller.signal }));
  const reason = new Error("enough");
  controller.abort(reason);
  expect(await aborted).toBe(reason);
  const lost = failureOf(client.callTool("exit", { code: 0, words: "" }));
  expect(await lost).toMatchObject({ code: "mcp-connection-closed" });
});

test.each(["stdio", "http"])(
  "arguments that are no JSON are a mistake that is told (%s)",
  async (type) => {
    const url = { type: "http", allowInsecureHttp: true } as const;
    const transport = type === "stdio" ? fakeStdio() : { ...url, url: (await serve()).url };
    await using client = new McpClient({ name: "fake", transport });
    await client.connect();
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const args of [circle, { amount: 1n }]) {
      expect(await failureOf(client.callTool("echo", args as JsonObject))).toMatchObject({
        code: "mcp-invalid-arguments",
        message: expect.stringMatching(/"echo".*"fake".*not called.*no JSON: .*plain objects/s),
      });
    }
    expect(await client.callTool("echo", {})).toHaveProperty("content");
  },
);

test("leaving the scope disconnects", async () => {
  {
    await using client = fake();
    await client.connect();
    expect(runningChildren()).toHaveLength(1);
  }
  expect(runningChildren()).toEqual([]);
});

test("G-T18: resources, templates, prompts and completion of a reference server are had", async () => {
  const client = everything();
  await client.connect();
  expect(client.instructions).toEqual(expect.any(String));
  const resources = await client.listResources();
  expect(resources.length).toBeGreaterThan(0);
  const contents = await client.readResource(resources[0]?.uri ?? "");
  expect(contents["contents"]).toMatchObject([{ uri: resources[0]?.uri }]);
  expect((await client.listResourceTemplates())[0]?.uriTemplate).toContain("{");
  const prompts = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain("simple-prompt");
  expect(await client.getPrompt("simple-prompt")).toHaveProperty("messages");
  const reference = { type: "ref/prompt", name: "completable-prompt" } as const;
  const completion = await client.complete(reference, { name: "department", value: "E" });
  expect(completion.values).toEqual(["Engineering"]); // of all departments
});

test("all pages of resources and prompts are read, and what is malformed is left out", async () => {
  const ours = await inMemoryWith({
    "resources/list": (cursor) =>
      cursor === "p2"
        ? { resources: [{ uri: "c:1" }] }
        : { resources: [{ uri: "a:1" }, { name: "no uri" }, 7], nextCursor: "p2" },
    "prompts/list": (cursor) => ({ prompts: [{ name: "p" }], nextCursor: cursor ?? "again" }),
  });
  const client = clientOf({ name: "pages", transport: ours });
  await client.connect();
  expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["a:1", "c:1"]);
  expect(String(await failureOf(client.listPrompts()))).toContain("in a circle");
  expect(await client.listResourceTemplates()).toEqual([]); // there is no such method
});

/** A server of our own at the other end of a transport of the SDK. */
async function inMemoryWith(
  lists: Readonly<Record<string, (cursor: unknown) => object>>,
): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const brain = createFakeServer((message) => void theirs.send(message as never));
  theirs.onmessage = (message) => {
    const { id, method, params } = message as unknown as Message & {
      params?: { cursor?: unknown };
    };
    const list = lists[String(method)];
    if (list === undefined) {
      brain.receive(message as unknown as Message);
    } else {
      void theirs.send({ jsonrpc: "2.0", id, result: list(params?.cursor) } as never);
    }
  };
  await theirs.start();
  return ours;
}

test("what the server tells of its own accord is heard, and no more than 1000 messages a second", async () => {
  let heard = 0;
  const onNotification = (method: string): void => {
    heard += method === "notifications/message" ? 1 : 0;
  };
  const client = fake({}, { onNotification });
  await client.connect();
  const asking = client.callTool("hang");
  await client.callTool("flood", { count: 200_000 });
  await client.callTool("finish");
  expect(await asking).toHaveProperty("content");
  expect(heard).toBeGreaterThan(0);
  expect(heard).toBeLessThan(20_000);
}, 60_000);

test("G-T19: a transport of the SDK is used as it is, and closed with the client", async () => {
  const transport = await inMemory();
  const closed = new Promise<void>((resolve) => {
    const client = clientOf({ name: "mine", transport });
    void (async () => {
      await client.connect();
      expect(await client.callTool("echo", { a: 1 })).toHaveProperty("content");
      const { onclose } = transport;
      transport.onclose = () => {
        onclose?.();
        resolve();
      };
      await client.disconnect();
    })();
  });
  await closed;
});

test("G-T19: a toolset takes a transport or a client of the application's, with the same callbacks", async () => {
  const client = fake();
  const fromClient = mcpToolset({ client, mapResult: () => "mapped", tools: ["echo"] });
  expect(fromClient.name).toBe("fake");
  const transport = await inMemory();
  const fromTransport = mcpToolset({
    name: "mine",
    transport,
    mapResult: () => "mapped",
    tools: ["echo"],
  });
  for (const toolset of [fromClient, fromTransport]) {
    const opened = await toolset.open(bindingFor(), keepNotices());
    expect(opened.tools.map(({ name }) => name)).toEqual(["echo"]);
    expect(await callTool(opened.tools[0], {})).toBe("mapped");
    await opened.close();
  }
  expect(client.connected).toBe(true); // whoever made it disconnects it
});

test("a toolset with a client and a transport is a mistake", () => {
  const options = { name: "a", client: fake(), transport: fakeStdio() };
  expect(() => mcpToolset(options as never)).toThrow('both a "client" and a "transport"');
});
