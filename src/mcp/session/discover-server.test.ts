import { expect, test } from "vitest";
import { failureOf } from "../../../test/failure-of.ts";
import { fakeStdio, runningChildren } from "../../../test/fixtures/mcp/servers.ts";
import {
  clientFor,
  discovered,
  type PeerExchange,
  type PeerMethods,
  serveStateless,
} from "../../../test/fixtures/mcp/stateless-peer.ts";
import { bindingFor, keepNotices } from "../../../test/fixtures/mcp/tool-call.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { McpClient } from "../client/mcp-client.ts";
import { mcpToolset } from "../toolset/mcp-toolset.ts";

/** A server that shakes hands, and meets the question before that in the given way. */
const legacy = (meet: (exchange: PeerExchange) => void): PeerMethods => ({
  "server/discover": meet,
  initialize: ({ result }) =>
    result({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "old" } }),
  "notifications/initialized": ({ result }) => result({}),
});

const refused =
  (code: number, status: number, data?: unknown) =>
  ({ error }: PeerExchange): void =>
    error({ code, message: "no", ...(data === undefined ? {} : { data }) }, status);

const methodsOf = ({ received }: { readonly received: readonly PeerExchange[] }): string[] =>
  received.map(({ method }) => method);

test.each<[string, (exchange: PeerExchange) => void]>([
  ["no such method", refused(-32_601, 200)],
  ["no such method, as HTTP 404", refused(-32_601, 404)],
  ["invalid parameters", refused(-32_602, 400)],
  ["an error of its own", refused(-32_000, 400)],
  ["HTTP 500", refused(-32_603, 500)],
  ["only older revisions", refused(-32_022, 400, { supported: ["2025-11-25"] })],
  ["a result of its own", ({ result }) => result({})],
  ["other revisions", ({ result }) => result({ supportedVersions: ["2030-01-01"] })],
  ["an empty answer", ({ end }) => end()],
])("a server that meets the question with %s is shaken hands with", async (_what, meet) => {
  const peer = await serveStateless(legacy(meet));
  const client = await clientFor(peer);
  expect(client.protocolVersion).toBe("2025-11-25");
  await client.callTool("echo");
  const [, initialize] = peer.received;
  expect(initialize?.method).toBe("initialize");
  expect(initialize?.headers).not.toHaveProperty("mcp-protocol-version");
  expect(initialize?.headers).not.toHaveProperty("mcp-method");
  expect(initialize?.params).not.toHaveProperty("_meta");
  expect(peer.received.at(-1)?.headers["mcp-protocol-version"]).toBe("2025-11-25");
});

test("a server that leaves the question unanswered is shaken hands with after a third of the time", async () => {
  const asked: PeerExchange[] = [];
  const peer = await serveStateless(legacy((exchange) => void asked.push(exchange)));
  const clock = manualClock();
  const connecting = clientFor(peer, { clock }, { timeoutMs: 9000 });
  await expect.poll(() => asked.length).toBe(1);
  clock.advance(3000);
  expect((await connecting).protocolVersion).toBe("2025-11-25");
});

test.each<[string, (exchange: PeerExchange) => void, string]>([
  ["credentials", refused(-32_000, 401), "mcp-http"],
  ["a right", refused(-32_000, 403), "mcp-http"],
  [
    "a newer revision only",
    refused(-32_022, 400, { supported: ["2027-01-01"] }),
    "mcp-remote-error",
  ],
  ["a capability", refused(-32_021, 400), "mcp-remote-error"],
])("a server that wants %s is not taken for an old one", async (_what, meet, code) => {
  const peer = await serveStateless(legacy(meet));
  expect(await failureOf(clientFor(peer))).toMatchObject({ code });
  expect(methodsOf(peer)).toEqual(["server/discover"]);
});

test("a server that refuses the handshake and names the newer revision is asked again", async () => {
  let asked = 0;
  const peer = await serveStateless({
    "server/discover": ({ result, error }) => {
      asked += 1;
      if (asked === 1) {
        error({ code: -32_603, message: "still starting" }, 500);
      } else {
        result(discovered);
      }
    },
    initialize: refused(-32_022, 400, { supported: ["2026-07-28"] }),
  });
  expect((await clientFor(peer)).protocolVersion).toBe("2026-07-28");
});

test("a client asks once: what the server turned out to be is remembered", async () => {
  const peer = await serveStateless(legacy(refused(-32_601, 200)));
  const client = await clientFor(peer);
  await client.disconnect();
  await client.connect();
  expect(methodsOf(peer).filter((method) => method === "server/discover")).toHaveLength(1);
});

test("the runs of a toolset ask once, too", async () => {
  const peer = await serveStateless(legacy(refused(-32_601, 200)));
  const toolset = mcpToolset({
    name: "peer",
    transport: () => ({ type: "http", url: peer.url, allowInsecureHttp: true }),
  });
  for (const _run of [1, 2, 3]) {
    const opened = await toolset.open(bindingFor(), keepNotices());
    await opened.close();
  }
  expect(methodsOf(peer).filter((method) => method === "server/discover")).toHaveLength(1);
});

test("what was remembered is forgotten where it fails", async () => {
  let isNew = false;
  const peer = await serveStateless({
    ...legacy(({ result, error }) => (isNew ? result(discovered) : error({ code: -32_601 }))),
    initialize: ({ result, error }) =>
      isNew ? error({ code: -32_601 }, 404) : result({ protocolVersion: "2025-11-25" }),
  });
  const client = await clientFor(peer);
  await client.disconnect();
  isNew = true;
  await failureOf(client.connect());
  await client.connect();
  expect(client.protocolVersion).toBe("2026-07-28");
});

test("with protocol legacy nothing is asked, with 2026-07-28 nothing else is taken", async () => {
  const peer = await serveStateless(legacy(refused(-32_601, 200)));
  expect((await clientFor(peer, {}, { protocol: "legacy" })).protocolVersion).toBe("2025-11-25");
  expect(methodsOf(peer)).not.toContain("server/discover");
  const pinned = clientFor(peer, {}, { protocol: "2026-07-28" });
  expect(await failureOf(pinned)).toMatchObject({ code: "mcp-remote-error" });
});

test("a program is shaken hands with, and asked first only where that is configured", async () => {
  const seen = async (protocol?: "auto"): Promise<unknown> => {
    const transport = fakeStdio();
    await using client = new McpClient({
      name: "fake",
      transport,
      ...(protocol && { protocol }),
    });
    await client.connect();
    const [block] = (await client.callTool("received"))["content"] as [{ text: string }];
    return (JSON.parse(block.text) as { method: string }[]).map(({ method }) => method);
  };
  const shaken = ["initialize", "notifications/initialized", "tools/call"];
  expect(await seen()).toEqual(shaken);
  expect(await seen("auto")).toEqual(["server/discover", ...shaken]);
  expect(runningChildren()).toEqual([]);
});

test("a program that ends over the question is started again", async () => {
  const program = `
    const lines = require("node:readline").createInterface({ input: process.stdin });
    lines.on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (method === "server/discover") process.exit(1);
      const result = { protocolVersion: "2025-11-25", capabilities: {} };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  `;
  const transport = { type: "stdio", command: process.execPath, args: ["-e", program] } as const;
  await using client = new McpClient({ name: "touchy", transport, protocol: "auto" });
  await client.connect();
  expect(client.protocolVersion).toBe("2025-11-25");
});

test.each([
  ["latest", { type: "http", url: "https://h" }, '"protocol" must be "auto"'],
  ["2026-07-28", { type: "sse", url: "https://h" }, 'must be "legacy" where the transport is sse'],
])("the protocol %s of %j is a fault of the configuration", (protocol, transport, words) => {
  const make = (): unknown => new McpClient({ name: "a", transport, protocol } as never);
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(words);
});
