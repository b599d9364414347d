import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { serve } from "../../test/fixtures/mcp/http-peer.ts";
import { bindingFor, callTool, keepNotices } from "../../test/fixtures/mcp/tool-call.ts";
import { mcpToolset } from "./mcp-toolset.ts";

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
