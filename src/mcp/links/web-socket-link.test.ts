import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { failureOf } from "../../../test/failure-of.ts";
import { createFakeServer, type Message } from "../../../test/fixtures/mcp/fake-server.ts";
import { startProxy } from "../../../test/proxy.ts";
import type { WebSocketTransport } from "../../tool/mcp-server-config.ts";
import { McpClient } from "../client/mcp-client.ts";
import type { McpConnection } from "../connection/mcp-connection.ts";
import { openMcpConnection } from "../connection/open-mcp-connection.ts";

interface Server {
  readonly url: string;
  readonly upgrades: IncomingMessage[];
  readonly socketServer: WebSocketServer;
}

const servers: WebSocketServer[] = [];
const open: McpConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  for (const server of servers.splice(0)) {
    for (const socket of server.clients) {
      socket.terminate();
    }
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(allow: (upgrade: IncomingMessage) => number = () => 0): Promise<Server> {
  const upgrades: IncomingMessage[] = [];
  const socketServer = new WebSocketServer({
    port: 0,
    host: "127.0.0.1",
    verifyClient: ({ req }, answer) => {
      upgrades.push(req);
      const status = allow(req);
      answer(status === 0, status);
    },
  });
  servers.push(socketServer);
  socketServer.on("connection", (socket) => {
    const brain = createFakeServer((message) => socket.send(JSON.stringify(message)));
    socket.on("message", (data) => brain.receive(JSON.parse(String(data)) as Message));
  });
  await new Promise((resolve) => socketServer.once("listening", resolve));
  const { port } = socketServer.address() as AddressInfo; // it listens on an IP address
  return { url: `ws://127.0.0.1:${port}/message`, upgrades, socketServer };
}

async function connect(
  url: string,
  settings: Partial<WebSocketTransport> = {},
): Promise<McpConnection> {
  const transport = { type: "ws", url, allowInsecureHttp: true, ...settings } as const;
  const connection = await openMcpConnection({ name: "wire", transport });
  open.push(connection);
  return connection;
}

test.each(["ws", "websocket"] as const)("R1: a server is used over the type %s", async (type) => {
  const server = await serve();
  const connection = await connect(server.url, { type });
  expect(connection.serverInfo?.name).toBe("fake");
  const words = Array.from({ length: 64 }, (_unused, index) => index);
  const answers = await Promise.all(words.map((word) => connection.callTool("echo", { word })));
  expect(answers.map((answer) => JSON.stringify(answer).includes('\\"word'))).not.toContain(false);
});

test("headers, token and subprotocol go with the upgrade", async () => {
  const server = await serve();
  await connect(server.url, { headers: { "X-Tenant": "a" }, token: "t-1" });
  expect(server.upgrades[0]?.headers).toMatchObject({
    "x-tenant": "a",
    authorization: "Bearer t-1",
    "sec-websocket-protocol": "mcp",
  });
});

test("the connection runs through the proxy, which is asked for a tunnel", async () => {
  const server = await serve();
  await using proxy = await startProxy();
  const { host } = new URL(server.url);
  const withUser = proxy.url.replace("//", "//user:word@");
  const connection = await connect(server.url, { proxy: withUser });
  expect(await connection.callTool("echo", {})).toHaveProperty("content");
  const credentials = Buffer.from("user:word").toString("base64");
  expect(proxy.seen).toEqual([`CONNECT ${host} Basic ${credentials}`]);
});

test("a proxy that refuses the tunnel is told without its credentials", async () => {
  await using proxy = await startProxy(403);
  const withUser = proxy.url.replace("//", "//user:word@");
  const failure = await failureOf(connect("ws://127.0.0.1:1/", { proxy: withUser }));
  expect(failure).toMatchObject({ code: "mcp-connect-failed" });
  expect(String(failure)).toContain("answered 403 when it was asked for a connection");
  expect(String(failure)).not.toContain("word");
});

test("a refused upgrade is told by its status", async () => {
  const server = await serve(() => 401);
  const failure = await failureOf(connect(server.url));
  expect(failure).toMatchObject({ code: "mcp-http", status: 401 });
  expect(String(failure)).toContain("wants credentials");
});

test("a server that is not there is told to be so", async () => {
  const failure = await failureOf(connect("ws://127.0.0.1:1/"));
  expect(failure).toMatchObject({ code: "mcp-connect-failed" });
  expect(String(failure)).toContain("the connection was refused");
});

test("a message that is too long ends the connection with the limit", async () => {
  const server = await serve();
  const connection = await connect(server.url, { maxResponseBytes: 10_000 });
  const failure = await failureOf(connection.callTool("echo", { text: "x".repeat(20_000) }));
  expect(failure).toMatchObject({ code: "mcp-limit" });
});

test("a connection that the server closes fails what is under way, with code and reason", async () => {
  const server = await serve();
  const connection = await connect(server.url);
  const hanging = failureOf(connection.callTool("hang", {}));
  await connection.callTool("echo", {});
  for (const socket of server.socketServer.clients) {
    socket.close(1012, "restart");
  }
  const failure = await hanging;
  expect(failure).toMatchObject({ code: "mcp-connection-closed" });
  expect(String(failure)).toContain("closed the connection (code 1012: restart)");
  expect(await connection.callTool("echo", {})).toHaveProperty("content");
  expect(server.upgrades).toHaveLength(2);
});

test("closing ends the socket with code 1000", async () => {
  const server = await serve();
  const connection = await connect(server.url);
  const [socket] = server.socketServer.clients;
  const closed = new Promise((resolve) => socket?.once("close", resolve));
  await connection.close();
  expect(await closed).toBe(1000);
});

test("G-T16: a ws: URL is refused unless allowInsecureHttp is set", () => {
  const transport = { type: "ws", url: "ws://127.0.0.1:1/" } as const;
  expect(() => new McpClient({ name: "a", transport })).toThrow(
    'McpClient "a": "url" is ws://127.0.0.1:1/, and what goes over ws: is not encrypted, so it must be allowed, also on this machine: write "allowInsecureHttp": true beside "url".',
  );
});
