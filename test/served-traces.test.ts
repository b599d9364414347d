import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agent } from "../src/agent/agent.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import { OpenTelemetryTracing } from "../src/otel/open-telemetry-tracing.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Tool } from "../src/tool/tool.ts";
import { openSdk3 } from "./sdk-3.ts";
import { serve } from "./server-fixture.ts";
import { treeOf } from "./span-tree.ts";
import { secret } from "./traced-runs.ts";

const manager = new AsyncLocalStorageContextManager();

beforeAll(() => void context.setGlobalContextManager(manager.enable()));
afterAll(() => context.disable());

const stock: Tool = defineTool({
  name: "stock",
  description: "What is there.",
  execute: async (_, { span }) => {
    const look = span?.start({ kind: "discovery", of: "tools" });
    look?.end({ kind: "completed" });
    return 3;
  },
});
const broken = defineTool({
  name: "broken",
  description: "Fails.",
  execute: () => Promise.reject(new Error(secret)),
});

/** A server with an agent and two tools, and who calls it over HTTP; one SDK gets the spans of both. */
async function openDesk() {
  const sdk = openSdk3();
  const instrument = new OpenTelemetryTracing(sdk.providers);
  const server = await serve(
    { model: scriptedModel(["Blue."]) },
    { config: { instrument }, mcp: { tools: [stock, broken] } },
  );
  const dragoman = createDragoman({ logger: silentLogger, env: {}, instrument });
  const front = (tool: string, given: object = {}): Agent =>
    dragoman.defineAgent({
      name: "front",
      model: scriptedModel([{ calls: [{ name: tool, arguments: { ...given } }] }, "Done."]),
      mcp: [
        {
          name: "others",
          transport: {
            type: "streamable-http",
            url: `${server.url}/mcp`,
            allowInsecureHttp: true,
            headers: { authorization: "Bearer ada-ada" },
          },
        },
      ],
    });
  return { sdk, front, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("G-O3: an agent behind our own MCP server goes on with the trace of the agent that asks it", async () => {
  await using desk = await openDesk();
  const result = await desk.front("ask_tester", { message: "Which?" }).ask("Ask");
  expect(result).toMatchObject({ status: "completed" });
  expect(treeOf(desk.sdk.spans())).toContain(`
    tools/list CLIENT
      tools/list SERVER
  chat scripted CLIENT
  execute_tool ask_tester CLIENT
    tools/call ask_tester SERVER
      invoke_agent tester INTERNAL
        chat scripted CLIENT
`);
});

test("G-O2, G-O3: a tool of our own MCP server has one span, within which its work is, and is measured", async () => {
  await using desk = await openDesk();
  await desk.front("stock").ask("Ask");
  expect(treeOf(desk.sdk.spans())).toContain(`
  execute_tool stock CLIENT
    tools/call stock SERVER
      dragoman.discovery tools INTERNAL
`);
  const served = desk.sdk.spans().find(({ name }) => name === "tools/call stock");
  expect(served?.attributes).toEqual({
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "stock",
    "network.transport": "tcp",
    "network.protocol.name": "http",
  });
  expect((await desk.sdk.measures()).get("mcp.server.operation.duration")?.series).toContainEqual(
    served?.attributes,
  );
});

test("G-O4: a tool of our own MCP server that fails is a tool_error, and its words are not told", async () => {
  await using desk = await openDesk();
  await desk.front("broken").ask("Ask");
  const served = desk.sdk.spans().find(({ name }) => name === "tools/call broken");
  expect(served).toMatchObject({ status: 2, attributes: { "error.type": "tool_error" } });
  expect(JSON.stringify(desk.sdk.spans())).not.toContain(secret);
});

test("a run that is given another trace links to what is going on around it", async () => {
  const sdk = openSdk3();
  const instrument = new OpenTelemetryTracing(sdk.providers);
  const dragoman = createDragoman({ logger: silentLogger, env: {}, instrument });
  const agent = dragoman.defineAgent({ name: "desk", model: scriptedModel(["Hi."]) });
  const around = sdk.providers.tracerProvider.getTracer("app").startSpan("POST /hook");
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await context.with(trace.setSpan(context.active(), around), () =>
    agent.ask("Go", { trace: { traceparent } }),
  );
  const { spanId, traceId } = around.spanContext();
  const run = sdk.spans().find(({ name }) => name === "invoke_agent desk");
  expect(run).toMatchObject({ parentId: "00f067aa0ba902b7", links: [{ traceId, spanId }] });
});
