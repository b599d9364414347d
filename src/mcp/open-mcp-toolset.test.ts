import { expect, test } from "vitest";
import { collect, modelOf } from "../../test/agent-fixture.ts";
import { failureOf } from "../../test/failure-of.ts";
import { serve } from "../../test/fixtures/mcp/http-peer.ts";
import { bindingFor, callTool, keepNotices } from "../../test/fixtures/mcp/tool-call.ts";
import { createDragoman } from "../configure.ts";
import { mcpToolset } from "./mcp-toolset.ts";

const publishes = (name: string): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
});

test("L-C6, L-C7: an agent shakes hands, lists, and shows its model the chosen tools with their schemas", async () => {
  const server = await serve({ pages: { "": { tools: ["echo", "hang"].map(publishes) } } });
  const transport = { type: "http", url: server.url, allowInsecureHttp: true } as const;
  const model = modelOf({ calls: [{ name: "echo", arguments: { text: "hi" } }] }, "Said.");
  const { defineAgent } = createDragoman({ env: {}, model });
  const mcp = [{ name: "far", transport, protocol: "legacy" } as const];
  const run = defineAgent({ name: "one", tools: ["echo"], mcp }).stream("Say hi.");
  const events = await collect(run);
  await defineAgent({ name: "other" }).ask("Hi");
  const methods = server.requests.flatMap(({ message }) => (message ? [message["method"]] : []));
  expect(methods).toEqual(["initialize", "notifications/initialized", "tools/list", "tools/call"]);
  expect(model.requests.map(({ tools }) => tools)).toEqual([
    [publishes("echo")],
    [publishes("echo")],
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

test("G-T2: a connection has its headers, its signer, its time limit and its longest answer", async () => {
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
  ["without a url", {}, /"url" is missing/],
  ["with a url of http: that is not allowed", { url: "http://h/mcp" }, /allowInsecureHttp: true/],
])("G-T2: a connection %s is refused when the toolset is made", (_what, given, words) => {
  const transport = { type: "http", ...given } as { type: "http"; url: string }; // which it may not be
  expect(() => mcpToolset({ name: "far", transport })).toThrow(words);
});
