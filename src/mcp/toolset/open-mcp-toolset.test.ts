import { expect, test } from "vitest";
import { collect, modelOf } from "../../../test/agent-fixture.ts";
import { failureOf } from "../../../test/failure-of.ts";
import { serve } from "../../../test/fixtures/mcp/http-peer.ts";
import { bindingFor, callTool, keepNotices } from "../../../test/fixtures/mcp/tool-call.ts";
import { ToolError } from "../../base/tool-error.ts";
import { createDragoman } from "../../configure.ts";
import type { McpTransport } from "../../tool/mcp-server-config.ts";
import { toolFailure, toolPending, toolSuccess, toToolResult } from "../../tool/tool-result.ts";
import { mcpToolset } from "./mcp-toolset.ts";

const publishes = (name: string): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
});

test("L-C6, L-C7, G-T6: an agent shakes hands once, lists, and shows its model the chosen tools with their schemas", async () => {
  const server = await serve({ pages: { "": { tools: ["echo", "hang"].map(publishes) } } });
  const transport = { type: "http", url: server.url, allowInsecureHttp: true } as const;
  const say = (text: string) => ({ calls: [{ name: "echo", arguments: { text } }] });
  const model = modelOf(say("hi"), say("again"), "Said.");
  const { defineAgent } = createDragoman({ env: {}, model });
  const mcp = [{ name: "far", transport, protocol: "legacy" } as const];
  const run = defineAgent({ name: "one", tools: ["echo"], mcp }).stream("Say hi.");
  const events = await collect(run);
  await defineAgent({ name: "other" }).ask("Hi");
  const methods = server.requests.flatMap(({ message }) => (message ? [message["method"]] : []));
  expect(methods).toEqual([
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/call",
    "tools/call",
  ]);
  expect(model.requests.map(({ tools }) => tools)).toEqual([
    ...Array(3).fill([publishes("echo")]),
    [],
  ]);
  expect(events).toContainEqual(
    expect.objectContaining({ kind: "server-connect", tools: ["echo", "hang"] }),
  );
  const end = events.find((event) => event.kind === "tool-end");
  expect(end?.result).toMatchObject({ kind: "success" });
  expect(JSON.stringify(end)).toContain(
    '\\"name\\":\\"echo\\",\\"arguments\\":{\\"text\\":\\"hi\\"}',
  );
});

test("R2, G-T2, G-T15: a connection has its headers, its signer, its time limit and its longest answer", async () => {
  const server = await serve();
  const toolset = mcpToolset({
    name: "far",
    transport: {
      type: "streamable-http",
      url: server.url,
      allowInsecureHttp: true,
      headers: { "X-Tenant": "a" },
      signer: ({ body }) => ({ "x-signature": `of ${body.length} bytes` }),
      maxResponseBytes: 20_000,
    },
    timeoutMs: 1_500,
    tools: ["echo", "hang"],
  });
  const { tools, close } = await toolset.open(bindingFor(), keepNotices());
  const [echo, hang] = tools;
  const long = { text: "x".repeat(30_000) };
  expect(await failureOf(callTool(echo, long))).toMatchObject({
    code: "tool-response-too-large",
    message: expect.stringContaining("20000 bytes"),
  });
  expect(await failureOf(callTool(hang, {}))).toMatchObject({
    code: "tool-timeout",
    message: expect.stringContaining("1500 ms"),
  });
  await close();
  expect(server.requests.length).toBeGreaterThan(3);
  for (const { headers } of server.requests) {
    expect(headers).toMatchObject({
      "x-tenant": "a",
      "x-signature": `of ${headers["content-length"] ?? 0} bytes`,
    });
  }
});

test.each([
  ["a failure", toolFailure(new ToolError("Mine."))],
  ["a success with content", toolSuccess(1, { content: [{ kind: "text", text: "one" }] })],
  ["a pending job", toolPending("job", "Wait.")],
])("G-T9: %s that mapResult makes is what the tool gives", async (_what, mine) => {
  const { url } = await serve();
  const transport = { type: "http", url, allowInsecureHttp: true } as const;
  const toolset = mcpToolset({ name: "far", transport, tools: ["echo"], mapResult: () => mine });
  const { tools, close } = await toolset.open(bindingFor(), keepNotices());
  expect(toToolResult(await callTool(tools[0], {}))).toBe(mine);
  await close();
});

const types = "Must be one of: stdio, sse, ws, websocket, streamable-http, http.";

test.each([
  ["of an unknown type", { type: "bogus" }, `Invalid transport type: bogus. ${types}`],
  ["without a command", { type: "stdio" }, '"command" is missing'],
  ["without a url", { type: "http" }, '"url" is missing'],
  ["whose http: is not allowed", { type: "http", url: "http://h" }, '"allowInsecureHttp": true'],
])("R3, G-T2: a toolset with a transport %s is not made", (_what, transport, words) => {
  expect(() => mcpToolset({ name: "far", transport: transport as McpTransport })).toThrow(words); // it is not
});
