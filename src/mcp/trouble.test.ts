import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { startFakeSseServer } from "../../test/fixtures/mcp/fake-sse-server.ts";
import { instead, methodsSeen, serve } from "../../test/fixtures/mcp/http-peer.ts";
import { fakeStdio, runningChildren } from "../../test/fixtures/mcp/servers.ts";
import { bindingFor, callTool, keepNotices } from "../../test/fixtures/mcp/tool-call.ts";
import { ToolError } from "../base/tool-error.ts";
import type { McpTransport } from "../tool/mcp-server-config.ts";
import type { OpenToolset } from "../tool/toolset.ts";
import { mcpToolset } from "./toolset/mcp-toolset.ts";

async function openEcho(transport: McpTransport, timeoutMs = 10_000): Promise<OpenToolset> {
  const toolset = mcpToolset({ name: "peer", transport, timeoutMs, tools: ["echo", "hang"] });
  return toolset.open(bindingFor(), keepNotices());
}

const http = (url: string): McpTransport => ({ type: "http", url, allowInsecureHttp: true });

test.each([
  ["a broken connection", "", "tool-network", "mcp-connection-closed"],
  ["what is no JSON", "{", "tool-failed", "mcp-protocol"],
  ["what is no JSON-RPC", '{"a":1}', "tool-failed", "mcp-protocol"],
  [
    "another version of JSON-RPC",
    '{"jsonrpc":"1.0","id":ID,"result":{"content":[]}}',
    "tool-failed",
    "mcp-protocol",
  ],
  ["a result that is none", '{"jsonrpc":"2.0","id":ID,"result":7}', "tool-failed", "mcp-protocol"],
  ["neither result nor error", '{"jsonrpc":"2.0","id":ID}', "tool-failed", "mcp-protocol"],
  [
    "an answer to something else",
    '{"jsonrpc":"2.0","id":99,"result":{}}',
    "tool-failed",
    "mcp-protocol",
  ],
])(
  "L-C10: %s becomes an error of the tool that names its kind",
  async (_what, body, code, kind) => {
    const server = await serve({
      intercept: instead("tools/call", (response, { message }) => {
        if (body === "") {
          response.socket?.destroy();
        } else {
          response.writeHead(200, { "content-type": "application/json" });
          response.end(body.replace("ID", String(message?.["id"])));
        }
      }),
    });
    const opened = await openEcho(http(server.url));
    const error = await failureOf(callTool(opened.tools[0], {}));
    expect(error).toSatisfy(ToolError.is);
    expect(error).toMatchObject({ code, data: { kind } });
    await opened.close();
  },
);

test("L-C10: no answer in time becomes an error of the tool that says so", async () => {
  const server = await serve();
  const opened = await openEcho(http(server.url), 200);
  const error = await failureOf(callTool(opened.tools[1], {}));
  expect(error).toMatchObject({ code: "tool-timeout", data: { kind: "mcp-timeout" } });
  await opened.close();
});

test("L-C8: closing ends processes, streams and sessions", async () => {
  const server = await serve();
  const older = await startFakeSseServer();
  const all = await Promise.all([
    openEcho(fakeStdio()),
    openEcho(http(server.url)),
    openEcho({ type: "sse", url: `${older.origin}/sse`, allowInsecureHttp: true }),
  ]);
  expect(runningChildren()).toHaveLength(1);
  expect(older.streams).toBe(1);
  await Promise.all(all.map((opened) => opened.close()));
  expect(runningChildren()).toEqual([]);
  await expect.poll(() => older.streams).toBe(0);
  expect(server.requests.at(-1)?.method).toBe("DELETE");
  await older.close();
});

test("of 100 openings with 100 tokens, whatever becomes of them, none leaves a session or a connection", async () => {
  const server = await serve();
  for (let round = 0; round < 100; round += 1) {
    const ending = new AbortController();
    const transport = { ...http(server.url), token: `t-${round}` };
    const toolset = mcpToolset({ name: "peer", transport });
    const opened = await toolset.open(bindingFor({ signal: ending.signal }), keepNotices());
    const tool = opened.tools.find(({ name }) => name === (round % 3 === 0 ? "hang" : "echo"));
    const calling = round % 3 === 1 ? undefined : callTool(tool, {}, { signal: ending.signal });
    if (round % 3 === 0) {
      ending.abort(new Error("enough"));
    }
    await calling?.catch(() => {});
    await opened.close();
  }
  const ended = server.requests.filter(({ method }) => method === "DELETE");
  expect(ended).toHaveLength(100);
  expect(methodsSeen(server).filter((method) => method === "initialize")).toHaveLength(100);
  const tokens = server.requests.map(({ headers }) => headers.authorization);
  expect(new Set(tokens).size).toBe(100);
  expect(ended.map(({ headers }) => headers.authorization)).toEqual([...new Set(tokens)]);
  expect(await server.connections()).toBeLessThan(5);
});
