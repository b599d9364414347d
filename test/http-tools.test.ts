import { expect, test } from "vitest";
import type { RunEvent } from "../src/agent/run-event.ts";
import type { RunResult } from "../src/agent/run-result.ts";
import { silentLogger } from "../src/base/logger.ts";
import { ToolCertificateError, ToolError } from "../src/base/tool-error.ts";
import type { DragomanConfig } from "../src/configure.ts";
import { Credentials } from "../src/credentials/credentials.ts";
import { httpClientFor } from "../src/http/http-client-for.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { ToolCall } from "../src/tool/tool.ts";
import { toolFailure, toolPending, toolSuccess } from "../src/tool/tool-result.ts";
import { agentOf, collect, modelOf } from "./agent-fixture.ts";
import { startHttp } from "./loopback.ts";

/** Runs an agent that calls a tool of this function once. */
async function runTool(
  execute: (call: ToolCall) => unknown,
  config: DragomanConfig = {},
  actor = "ann",
): Promise<{ readonly end: RunEvent | undefined; readonly result: RunResult }> {
  const tool = defineTool({
    name: "subject",
    description: "Is tested.",
    execute: (_input, call) => execute(call),
  });
  const model = modelOf({ calls: [{ name: "subject" }] }, "ok");
  const run = agentOf({ model, tools: [tool] }, config).stream("Go.", { actor });
  const events = await collect(run);
  return { end: events.find(({ kind }) => kind === "tool-end"), result: await run.result };
}

test.each<[string, () => unknown, object]>([
  ["a value", () => ({ a: 1 }), { kind: "success", value: { a: 1 } }],
  ["a success", () => toolSuccess(2), { kind: "success", value: 2 }],
  ["a pending job", () => toolPending("job-1", "Wait."), { kind: "pending", jobId: "job-1" }],
  [
    "an error result",
    () => toolFailure(new ToolError("No luck.")),
    { kind: "error", error: { code: "tool-failed", message: "No luck." } },
  ],
  [
    "an error",
    () => new ToolError("No luck."),
    { kind: "error", error: { code: "tool-failed", message: "No luck." } },
  ],
])("L-H19: a tool may return %s", async (_name, execute, expected) => {
  const { end, result } = await runTool(execute);
  expect(end).toMatchObject({ result: expected });
  expect(result.status).toBe("completed");
});

const quiet = { instrumentor: () => {} };

test.each<[string, (call: ToolCall, origin: string) => unknown]>([
  ["tool-http", (call, baseUrl) => httpClientFor(call, { baseUrl, options: quiet }).get("/404")],
  [
    "tool-timeout",
    (call, baseUrl) =>
      httpClientFor(call, { baseUrl, options: { ...quiet, readTimeoutMs: 20 } }).get("/silent"),
  ],
  [
    "tool-network",
    (call) => httpClientFor(call, { baseUrl: "http://127.0.0.1:1", options: quiet }).get("/"),
  ],
  [
    "tool-certificate",
    () => {
      throw new ToolCertificateError("Not to be trusted.");
    },
  ],
  ["tool-failed", (call) => httpClientFor(call, { baseUrl: "nothing" })],
])("L-H19: %s that a tool lets rise becomes the standard error event", async (code, execute) => {
  await using server = await startHttp(({ url }, response) => {
    if (url !== "/silent") {
      response.writeHead(404).end();
    }
  });
  const { end, result } = await runTool((call) => execute(call, server.origin));
  expect(end).toMatchObject({ result: { kind: "error", error: { code } } });
  expect(result.status).toBe("completed");
});

test("P3: a tool gets a credential by name from its binding, for the actor of its run", async () => {
  await using server = await startHttp((incoming, response) =>
    response.end(incoming.headers.authorization),
  );
  const credentials = new Credentials({
    definitions: { crm: { kind: "bearer", token: ({ actor }) => `token-of-${actor}` } },
  });
  for (const actor of ["ann", "bob"]) {
    const { end } = await runTool(
      async (call) => {
        const { headers } = await call.binding.credential("crm");
        const client = httpClientFor(call, { baseUrl: server.origin, options: quiet });
        return (await client.get("/me", { headers })).body;
      },
      { credentials },
      actor,
    );
    expect(end).toMatchObject({ result: { value: `Bearer token-of-${actor}` } });
  }
});

test("P3: a credential that is not configured is the programmer's mistake and ends the run", async () => {
  const ask = (call: ToolCall): unknown => call.binding.credential("crm");
  const { result: without } = await runTool(ask);
  expect(without).toMatchObject({
    status: "failed",
    error: { code: "invalid-configuration", message: expect.stringContaining('"crm"') },
  });
  const { result: other } = await runTool(ask, {
    credentials: new Credentials({ definitions: {} }),
  });
  expect(other).toMatchObject({ status: "failed", error: { code: "invalid-configuration" } });
});

test("a credential that a person has yet to grant is an error that the model reads", async () => {
  const credentials = new Credentials({
    definitions: {
      calendar: {
        kind: "oauth2",
        grant: "authorization-code",
        tokenUrl: "https://login.example/token",
        clientId: "client",
      },
    },
  });
  const { end, result } = await runTool((call) => call.binding.credential("calendar"), {
    credentials,
  });
  expect(end).toMatchObject({
    result: { kind: "error", error: { message: expect.stringContaining("not been granted") } },
  });
  expect(result.status).toBe("completed");
});

test("L-H7: a request of a tool that fails is told to the configured logger, and not to the console", async () => {
  await using server = await startHttp((_, response) => response.writeHead(500).end());
  const printed: unknown[] = [];
  const { error: original } = console;
  console.error = (line: unknown) => void printed.push(line);
  const told: (readonly [string, object | undefined])[] = [];
  const logger = {
    ...silentLogger,
    error: (message: string, fields?: object) => void told.push([message, fields]),
  };
  try {
    await runTool((call) => httpClientFor(call, { baseUrl: server.origin }).get("/"), { logger });
  } finally {
    console.error = original;
  }
  expect(told).toEqual([
    ["An HTTP request failed.", expect.objectContaining({ method: "GET", code: "tool-http" })],
  ]);
  expect(printed).toEqual([]);
});
