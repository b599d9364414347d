import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { context, propagation } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgUiHandler } from "../src/ag-ui/create-ag-ui-handler.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import { httpClientFor } from "../src/http/http-client-for.ts";
import { openAiCompatible } from "../src/models/openai/openai-compatible.ts";
import { OpenTelemetryTracing } from "../src/otel/open-telemetry-tracing.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { McpTransport } from "../src/tool/mcp-server-config.ts";
import { openSdk3 } from "./sdk-3.ts";
import type { PlainSpan } from "./span-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "dragoman-trace-"));
const program = fileURLToPath(new URL("fixtures/mcp/traced-server.ts", import.meta.url));
const httpFile = join(folder, "http.jsonl");
const manager = new AsyncLocalStorageContextManager();
let server: ChildProcess;
let url = "";

beforeAll(async () => {
  context.setGlobalContextManager(manager.enable());
  server = spawn(process.execPath, [program, httpFile, "http"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(server.stdout as NonNullable<ChildProcess["stdout"]>, "data")) as [
    Buffer,
  ];
  url = line.toString().trim();
});

afterAll(async () => {
  context.disable();
  const gone = once(server, "exit");
  server.kill();
  await gone;
  rmSync(folder, { recursive: true });
});

/** A span of the server's, and what came with its request. */
interface SeenSpan extends PlainSpan {
  readonly baggage: Readonly<Record<string, string>>;
  readonly arguments?: unknown;
}

const seenIn = (file: string): readonly SeenSpan[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SeenSpan); // as the fixture writes it

const callLook = { calls: [{ id: "c1", name: "look", arguments: {} }] };

/** A run in which `look` of the server is called, with baggage around it. */
async function runWith(transport: McpTransport, trustedServers: readonly string[]) {
  const sdk = openSdk3();
  const instrument = new OpenTelemetryTracing({ ...sdk.providers, trustedServers });
  const dragoman = createDragoman({ logger: silentLogger, env: {}, instrument });
  const agent = dragoman.defineAgent({
    name: "desk",
    model: scriptedModel([callLook, "Done."]),
    mcp: [{ name: "files", transport }],
  });
  const baggage = propagation.createBaggage({ user: { value: "ann & co" } });
  const around = propagation.setBaggage(context.active(), baggage);
  const result = await context.with(around, () => agent.ask("Look"));
  expect(result.status).toBe("completed");
  return sdk.spans();
}

test.each(["stdio", "http"] as const)(
  "G-O3: a server of MCP's own SDK goes on with the trace over %s, and gets baggage only where it is trusted",
  async (kind) => {
    const file = kind === "http" ? httpFile : join(folder, "stdio.jsonl");
    const transport: McpTransport =
      kind === "http"
        ? { type: "streamable-http", url, allowInsecureHttp: true }
        : { type: "stdio", command: process.execPath, args: [program, file] };
    for (const trusted of [[], ["files"]]) {
      const spans = await runWith(transport, trusted);
      const [list, call] = seenIn(file).slice(-2);
      const tool = spans.find(({ name }) => name === "execute_tool look");
      const listing = spans.find(({ name }) => name === "tools/list");
      expect(call).toMatchObject({ name: "tools/call", arguments: {} });
      expect(call).toMatchObject({ traceId: tool?.traceId, parentId: tool?.spanId });
      expect(list).toMatchObject({ traceId: tool?.traceId, parentId: listing?.spanId });
      expect(call?.baggage).toEqual(trusted.length === 0 ? {} : { user: "ann & co" });
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    }
  },
);

test("G-O3: requests of tools and of models carry the trace, and what is around a tool is its span", async () => {
  const seen: { path: string | undefined; traceparent: unknown; baggage: unknown }[] = [];
  const http = createServer(({ url: path, headers }, response) => {
    seen.push({ path, traceparent: headers["traceparent"], baggage: headers["baggage"] });
    response.setHeader("content-type", "application/json");
    const toolCall = {
      id: "c1",
      type: "function",
      function: { name: "fetch_it", arguments: "{}" },
    };
    const isFirst = seen.length === 1;
    const message = isFirst ? { content: null, tool_calls: [toolCall] } : { content: "Done." };
    const finish = isFirst ? "tool_calls" : "stop";
    response.end(JSON.stringify({ choices: [{ message, finish_reason: finish }] }));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as { port: number };
  const baseUrl = `http://127.0.0.1:${port}`;
  let around: string | undefined;
  const fetchIt = defineTool({
    name: "fetch_it",
    description: "Fetches.",
    async execute(_input, call) {
      around = (await import("@opentelemetry/api")).trace.getActiveSpan()?.spanContext().spanId;
      return (await httpClientFor(call, { baseUrl }).get("/tool")).status;
    },
  });
  const sdk = openSdk3();
  const dragoman = createDragoman({
    logger: silentLogger,
    env: {},
    instrument: new OpenTelemetryTracing(sdk.providers),
  });
  const model = openAiCompatible({ model: "gpt-5", baseUrl, stream: false });
  const result = await dragoman.defineAgent({ name: "desk", model, tools: [fetchIt] }).ask("Go");
  http.close();
  expect(result).toMatchObject({ status: "completed", text: "Done." });
  const idOf = (name: string, index = 0): string | undefined =>
    sdk.spans().filter((span) => span.name === name)[index]?.spanId;
  const parentOf = ({ traceparent }: (typeof seen)[number]) => String(traceparent).split("-")[2];
  expect(seen.map((one) => [one.path, parentOf(one)])).toEqual([
    ["/chat/completions", idOf("chat gpt-5")],
    ["/tool", idOf("execute_tool fetch_it")],
    ["/chat/completions", idOf("chat gpt-5", 1)],
  ]);
  expect(around).toBe(idOf("execute_tool fetch_it"));
  expect(sdk.spans().find(({ name }) => name === "chat gpt-5")?.attributes).toMatchObject({
    "server.address": "127.0.0.1",
    "server.port": port,
  });
});

test("G-O3: a run over AG-UI is part of the request's trace, and tells the client of its own", async () => {
  const sdk = openSdk3();
  const dragoman = createDragoman({
    logger: silentLogger,
    env: {},
    sessions: memorySessions(),
    instrument: new OpenTelemetryTracing(sdk.providers),
  });
  const agent = dragoman.defineAgent({ name: "desk", model: scriptedModel(["Hello."]) });
  const handler = createAgUiHandler(agent, { authenticate: () => ({}) });
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const body = {
    threadId: "t",
    runId: "r",
    state: {},
    messages: [{ id: "m", role: "user", content: "Hi" }],
    tools: [],
    context: [],
    forwardedProps: {},
  };
  const response = await handler(
    new Request("http://127.0.0.1/", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        traceparent: `00-${traceId}-00f0677aa0ba902b-01`,
        baggage: "user=eve",
      },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  const run = sdk.spans().find(({ name }) => name === "invoke_agent desk");
  expect(run).toMatchObject({ traceId, parentId: "00f0677aa0ba902b" });
  expect(text).toContain("dragoman.trace_context");
  expect(text).toContain(`00-${traceId}-${run?.spanId}-01`);
});
