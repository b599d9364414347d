import { PassThrough } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import * as z from "zod";
import { add, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { jsonOf, serve, type TestServer } from "../../test/server-fixture.ts";
import { McpClient } from "../mcp/client/mcp-client.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool, ToolProgress } from "../tool/tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";

const eras = ["legacy", "auto"] as const;

/** The official client, as an actor, in the older revisions of the protocol or the newest. */
async function official(
  { url }: TestServer,
  mode: (typeof eras)[number],
  as = "ada",
): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${as}-${as}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await client.connect(transport);
  return Object.assign(client, {
    async [Symbol.asyncDispose]() {
      await transport.terminateSession();
      await client.close();
    },
  });
}

/** Our own client. */
const own = ({ url }: TestServer, as = "ada"): McpClient =>
  new McpClient({
    name: "server",
    transport: {
      type: "streamable-http",
      url: `${url}/mcp`,
      token: `${as}-${as}`,
      allowInsecureHttp: true,
    },
  });

const count: Tool = defineTool({
  name: "count",
  description: "Counts.",
  inputSchema: z.object({ to: z.number() }),
  outputSchema: z.object({ counted: z.number(), by: z.string() }),
  annotations: { readOnly: true },
  execute: ({ to }, { progress, binding }) => {
    for (let done = 1; done <= to; done += 1) {
      progress({ progress: done, total: to });
    }
    return { counted: to, by: binding.run.actor ?? "nobody" };
  },
});

const calls = { calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }] };

const summing = () =>
  modelOf(({ messages }) => (messages.at(-1)?.role === "tool" ? "It is three." : calls));

test.each(eras)(
  "P10: the official client (%s) lists agents and tools, and asks an agent as its caller",
  async (mode) => {
    await using server = await serve(
      { model: summing(), tools: [add], description: "Adds." },
      { mcp: { name: "desk", instructions: "Ask.", tools: [count] } },
    );
    await using client = await official(server, mode);
    expect(client.getServerVersion()?.name).toBe("desk");
    expect(client.getInstructions()).toBe("Ask.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["ask_tester", "count"]);
    expect(tools[0]?.description).toBe('Asks the agent "tester": Adds.');
    expect(tools[1]).toMatchObject({ annotations: { readOnlyHint: true } });
    const told: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: "ask_tester", arguments: { message: "1 + 2?" } },
      { onprogress: ({ message }) => void told.push(message) },
    );
    expect(result.content).toEqual([{ type: "text", text: "It is three." }]);
    const { runId } = result.structuredContent as { readonly runId: string };
    expect(result.structuredContent).toEqual({ text: "It is three.", runId });
    expect(told).toContain("calls add");
    expect(await jsonOf(await server.ask(`/runs/${runId}`))).toMatchObject({ actor: "ada" });
    expect((await server.ask(`/runs/${runId}`, { as: "eve" })).status).toBe(404);
  },
);

test.each(eras)(
  "P10: tools as they are give progress, structured results and errors to the official client (%s)",
  async (mode) => {
    const broken = defineTool({
      name: "broken",
      description: "Breaks.",
      inputSchema: z.object({}),
      outputSchema: z.object({ fine: z.boolean() }),
      execute: () => {
        throw new Error("It is broken.");
      },
    });
    const media = defineTool({
      name: "media",
      description: "Shows.",
      inputSchema: z.object({}),
      execute: () =>
        toolSuccess(null, {
          content: [
            { kind: "image", mediaType: "image/png", source: { kind: "data", base64: "AAAA" } },
            {
              kind: "file",
              mediaType: "text/csv",
              name: "a.csv",
              source: { kind: "url", url: "https://files.example/a.csv" },
            },
          ],
        }),
    });
    await using server = await serve(
      { model: modelOf("Hi.") },
      { mcp: { tools: [count, broken, media] } },
    );
    await using client = await official(server, mode);
    await client.listTools(); // so that it checks what comes against the schemas
    const steps: number[] = [];
    const counted = await client.callTool(
      { name: "count", arguments: { to: 3 } },
      { onprogress: ({ progress }) => void steps.push(progress) },
    );
    expect(counted.structuredContent).toEqual({ counted: 3, by: "ada" });
    expect(steps).toEqual([1, 2, 3]);
    const wrong = await client.callTool({ name: "count", arguments: { to: "many" } });
    expect(wrong).toMatchObject({ isError: true });
    expect(JSON.stringify(wrong.content)).toContain("not valid");
    expect(await client.callTool({ name: "broken", arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: "It is broken." }],
    });
    expect((await client.callTool({ name: "media", arguments: {} })).content).toMatchObject([
      { type: "image", mimeType: "image/png" },
      { type: "resource_link", uri: "https://files.example/a.csv", name: "a.csv" },
    ]);
    await expect(client.callTool({ name: "counts", arguments: {} })).rejects.toThrow(
      /no tool "counts".*"count"/,
    );
  },
);

test.each(eras)("P10: a call that the official client (%s) cancels ends its run", async (mode) => {
  const busy = { calls: [{ id: "c1", name: "wait", arguments: {} }] };
  await using server = await serve({ model: modelOf(busy), tools: [neverEnding("wait")] });
  await using client = await official(server, mode);
  const leaving = new AbortController();
  const asking = client.callTool(
    { name: "ask_tester", arguments: { message: "Wait" } },
    { signal: leaving.signal },
  );
  const failing = expect(asking).rejects.toThrow();
  const statusesNow = async () =>
    (await jsonOf(await server.ask("/runs"))).runs.map(({ status }: { status: string }) => status);
  await expect.poll(statusesNow).toEqual(["running"]);
  leaving.abort();
  await failing;
  await expect.poll(statusesNow).toEqual(["cancelled"]);
});

test("P10: our own client asks an agent, in a conversation that is its caller's", async () => {
  const model = modelOf(({ messages }) => `I know ${messages.length} messages.`);
  await using server = await serve({ model }, { mcp: { tools: [count] } });
  await using client = own(server);
  await client.connect();
  expect((await client.listTools()).map(({ sourceName }) => sourceName)).toEqual([
    "ask_tester",
    "count",
  ]);
  const talk = { message: "Hi", session: "talk" };
  await client.callTool("ask_tester", talk);
  const again = await client.callTool("ask_tester", talk);
  expect(again).toMatchObject({
    structuredContent: { text: "I know 3 messages.", session: "talk" },
  });
  const steps: ToolProgress[] = [];
  await client.callTool("count", { to: 2 }, { onProgress: (one) => void steps.push(one) });
  expect(steps).toHaveLength(2);
  await using eve = own(server, "eve");
  await eve.connect();
  const stolen = await eve.callTool("ask_tester", talk);
  expect(stolen).toMatchObject({ isError: true });
  expect(JSON.stringify(stolen)).not.toContain("I know");
});

test("P10: an agent that waits for a person, one that fails, and wrong arguments are failed calls that say why", async () => {
  await using server = await serve({
    model: summing(),
    tools: [add],
    approval: { default: "ask" },
  });
  await using client = own(server);
  await client.connect();
  const text = async (input: { readonly [key: string]: string | number }): Promise<string> => {
    const result = await client.callTool("ask_tester", input);
    expect(result.isError).toBe(true);
    return JSON.stringify(result.content);
  };
  const waiting = await text({ message: "1 + 2?" });
  const [, runId] = /(run_\w+) waits for a person: approval of add/.exec(waiting) ?? [];
  expect((await server.ask(`/runs/${runId}/approve`, { body: {} })).status).toBe(202);
  const answerNow = async () => (await jsonOf(await server.ask(`/runs/${runId}`))).text;
  await expect.poll(answerNow).toBe("It is three.");
  expect(await text({ message: " " })).toContain("message must be a text");
  expect(await text({ message: "Hi", sesion: "x" })).toContain("sesion");
  const fails = (): never => {
    throw new Error("There is no such model.");
  };
  await using broken = await serve({ model: modelOf(fails) });
  await using other = own(broken);
  await other.connect();
  const failed = await other.callTool("ask_tester", { message: "Hi" });
  expect(JSON.stringify(failed)).toMatch(/"isError":true/);
});

test("a session of MCP is its caller's, and others are told that there is none", async () => {
  await using server = await serve({ model: modelOf("Hi.") });
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    },
  };
  const accept = { accept: "application/json, text/event-stream" };
  const begun = await server.ask("/mcp", { body: initialize, headers: accept });
  await begun.text();
  const id = begun.headers.get("mcp-session-id") ?? "";
  expect(id).not.toBe("");
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const headers = { ...accept, "mcp-session-id": id };
  expect((await server.ask("/mcp", { body: list, headers, as: "eve" })).status).toBe(404);
  expect((await server.ask("/mcp", { method: "DELETE", headers, as: "eve" })).status).toBe(404);
  expect((await server.ask("/mcp", { body: list, headers })).status).toBe(200);
  expect((await server.ask("/mcp", { body: list, headers: accept })).status).toBe(400);
  const broken = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: { authorization: "Bearer ada-ada", "content-type": "application/json", ...accept },
    body: "{",
  });
  expect([broken.status, (await jsonOf(broken)).error.code]).toEqual([400, -32700]);
});

test("names of tools that collide, and agents that are not there, are refused when the server is made", async () => {
  const taken = add.with({ name: "ask_tester" });
  await expect(serve({ model: modelOf("Hi.") }, { mcp: { tools: [taken] } })).rejects.toThrow(
    /the name "ask_tester"/,
  );
  await expect(serve({ model: modelOf("Hi.") }, { mcp: { agents: ["testr"] } })).rejects.toThrow(
    /no agent "testr".*"tester"/,
  );
  await using none = await serve({ model: modelOf("Hi.") }, { mcp: "none" });
  expect((await none.ask("/mcp", { body: {} })).status).toBe(404);
});

test("P10: over standard input and output the one client is served, until it closes its end", async () => {
  await using server = await serve({ model: modelOf("Hello.") });
  const input = new PassThrough();
  const output = new PassThrough();
  const serving = await server.server.serveStdio({ input, output }, { actor: "ada" });
  const lines: string[] = [];
  output.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
  const send = (message: object) => void input.write(`${JSON.stringify(message)}\n`);
  send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    },
  });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const call = { name: "ask_tester", arguments: { message: "Hi" } };
  send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
  await expect.poll(() => lines.length).toBe(2);
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({
    id: 2,
    result: { content: [{ text: "Hello." }], structuredContent: { text: "Hello." } },
  });
  expect((await jsonOf(await server.ask("/runs"))).runs).toMatchObject([{ actor: "ada" }]);
  input.end();
  await serving.ended;
  await serving.close();
});
