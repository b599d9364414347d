import type { ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { failureOf } from "../../../test/failure-of.ts";
import {
  type FakeSseServer,
  type SseBehaviour,
  startFakeSseServer,
} from "../../../test/fixtures/mcp/fake-sse-server.ts";
import type { Clock } from "../../base/clock.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import type { SseTransport } from "../../tool/mcp-server-config.ts";
import type { McpConnection } from "../connection/mcp-connection.ts";
import { openMcpConnection } from "../connection/open-mcp-connection.ts";

const servers: FakeSseServer[] = [];
const open: McpConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(behaviour: SseBehaviour = {}): Promise<FakeSseServer> {
  const server = await startFakeSseServer(behaviour);
  servers.push(server);
  return server;
}

async function connect(
  url: string,
  settings: Partial<SseTransport> = {},
  clock?: Clock,
): Promise<McpConnection> {
  const transport = { type: "sse", url, allowInsecureHttp: true, ...settings } as const;
  const connection = await openMcpConnection({ name: "old", transport }, { clock });
  open.push(connection);
  return connection;
}

const asked = (server: FakeSseServer): readonly string[] =>
  server.requests.map(({ method, url }) => `${method} ${url}`);

test("L-C2: a base URL is enough: events at /sse, messages at /messages, with the bearer token", async () => {
  const server = await serve({
    endpoint: null,
    streamPath: "/api/sse",
    messagesPath: "/api/messages",
  });
  const clock = manualClock();
  const connecting = connect(`${server.origin}/api`, { token: "t-1" }, clock);
  await expect.poll(() => asked(server)).toEqual(["GET /api", "GET /api/sse"]);
  await expect.poll(() => clock.pending).toBe(2); // one for all of it, one for the endpoint
  clock.advance(2000);
  const connection = await connecting;
  expect(await connection.callTool("echo", { a: 1 })).toHaveProperty("content");
  expect(asked(server).slice(2)).toEqual(Array(3).fill("POST /api/messages"));
  for (const { headers } of server.requests) {
    expect(headers.authorization).toBe("Bearer t-1");
  }
});

test("the stream is first looked for at the URL as it is given", async () => {
  const server = await serve({ streamPath: "/stream" });
  await connect(`${server.origin}/stream`);
  expect(asked(server)[0]).toBe("GET /stream");
});

test.each([
  ["no stream", (response: ServerResponse) => response.writeHead(200).end("hello")],
  ["405", (response: ServerResponse) => response.writeHead(405).end()],
])("an answer with %s at the URL leads to /sse", async (_what, respond) => {
  const server = await serve({
    intercept: ({ method, url }, response) => {
      const isBase = method === "GET" && url === "/";
      if (isBase) {
        respond(response);
      }
      return isBase;
    },
  });
  await connect(server.origin);
  expect(asked(server).slice(0, 2)).toEqual(["GET /", "GET /sse"]);
});

test("credentials that are refused are said to be so, and nothing else is tried", async () => {
  const server = await serve({
    intercept: (_request, response) => {
      response.writeHead(401).end();
      return true;
    },
  });
  expect(await failureOf(connect(server.origin))).toMatchObject({ code: "mcp-http", status: 401 });
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["absolute in the host", "/gw/messages?sessionId=1"],
  ["relative", "messages?sessionId=1"],
  ["a whole URL", "ORIGIN/gw/messages?sessionId=1"],
])("an endpoint that is %s is found by the rules of URLs", async (_what, endpoint) => {
  const server = await serve({ streamPath: "/gw/sse", messagesPath: "/gw/messages", endpoint });
  await connect(`${server.origin}/gw/sse`);
  expect(asked(server).at(-1)).toBe("POST /gw/messages?sessionId=1");
});

test("an endpoint of another origin is refused, and gets no credentials", async () => {
  const other = await serve();
  const server = await serve({ endpoint: `${other.origin}/messages` });
  const failure = await failureOf(connect(`${server.origin}/sse`, { token: "t-1" }));
  expect(failure).toMatchObject({ code: "mcp-protocol" });
  expect(String(failure)).toContain("another origin");
  expect(other.requests).toEqual([]);
});

test("messagesUrl overrides what a server behind a gateway names", async () => {
  const server = await serve({
    streamPath: "/gw/sse",
    messagesPath: "/gw/messages",
    endpoint: "/messages",
  });
  const messagesUrl = `${server.origin}/gw/messages`;
  const connection = await connect(`${server.origin}/gw/sse`, { messagesUrl });
  expect(await connection.callTool("echo", {})).toHaveProperty("content");
});

test("the end of the stream fails what is under way at once, and the next request opens another", async () => {
  const server = await serve();
  const connection = await connect(`${server.origin}/sse`);
  const hanging = failureOf(connection.callTool("hang", {}));
  await connection.callTool("echo", {});
  server.endStreams();
  const failure = await hanging;
  expect(failure).toMatchObject({ code: "mcp-connection-closed" });
  expect(String(failure)).toContain("ended the stream of events");
  expect(await connection.callTool("echo", {})).toHaveProperty("content");
  expect(asked(server).filter((line) => line.startsWith("GET"))).toHaveLength(2);
});

test("a try to reconnect while the server is down leaves nothing behind: the next one starts clean", async () => {
  const down = { is: false };
  const server = await serve({
    intercept: (_request, response) => {
      if (down.is) {
        response.writeHead(503).end();
      }
      return down.is;
    },
  });
  const connection = await connect(`${server.origin}/sse`);
  expect(await connection.listTools()).not.toEqual([]);
  down.is = true;
  server.endStreams();
  await expect.poll(() => connection.isOpen).toBe(false);
  expect(await failureOf(connection.callTool("echo", {}))).toMatchObject({ status: 503 });
  expect(await failureOf(connection.callTool("echo", {}))).toMatchObject({ status: 503 });
  down.is = false;
  expect(await connection.callTool("echo", {})).toHaveProperty("content");
  expect(await connection.listTools()).not.toEqual([]);
});

test("a message that the server refuses fails its request and no other", async () => {
  const server = await serve({
    intercept: ({ message }, response) => {
      const refused = JSON.stringify(message)?.includes("refuse me") ?? false;
      if (refused) {
        response.writeHead(413).end("too much");
      }
      return refused;
    },
  });
  const connection = await connect(`${server.origin}/sse`);
  const hanging = connection.callTool("hang", {});
  expect(await failureOf(connection.callTool("echo", { text: "refuse me" }))).toMatchObject({
    code: "mcp-http",
    status: 413,
  });
  await connection.callTool("finish", {});
  expect(await hanging).toHaveProperty("content");
});

test("G-T15: an event that is too long ends the connection with the limit", async () => {
  const server = await serve();
  const connection = await connect(`${server.origin}/sse`, { maxResponseBytes: 10_000 });
  const failure = await failureOf(connection.callTool("echo", { text: "x".repeat(20_000) }));
  expect(failure).toMatchObject({ code: "mcp-limit" });
  expect(String(failure)).toContain("more than 10000 bytes");
});
