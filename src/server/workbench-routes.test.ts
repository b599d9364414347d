import { expect, test } from "vitest";
import { eventsIn, refusalIn } from "../../test/ag-ui-client.ts";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import {
  agUiInput,
  auth,
  jsonOf,
  listening,
  serve,
  type TestServer,
} from "../../test/server-fixture.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { RunRecord } from "../agent/run-store.ts";
import { silentLogger } from "../base/logger.ts";
import { ToolError } from "../base/tool-error.ts";
import { createDragoman } from "../configure.ts";
import { memoryRuns } from "../stores/memory-runs.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { defineTool } from "../tool/define-tool.ts";
import { createServer } from "./create-server.ts";

/** A model that must not be asked. */
const unasked = () =>
  modelOf(() => {
    throw new Error("the model was asked");
  });

const definitionOf = async (server: TestServer, as = "ada") =>
  jsonOf(await server.ask("/agents/tester/definition", { as }));

/** Calls a tool by hand. */
const call = (server: TestServer, tool: string, given: object, as = "ada"): Promise<Response> =>
  server.ask(`/agents/tester/tools/${tool}/calls`, { as, body: { arguments: given } });

/** A run once it has ended or waits. */
async function settled(server: TestServer, id: string): Promise<RunRecord> {
  let run: RunRecord | undefined;
  await expect
    .poll(async () => {
      run = await jsonOf(await server.ask(`/runs/${id}`));
      return run?.status;
    })
    .not.toBe("running");
  return run as RunRecord; // polled just before
}

async function toolEnds(server: TestServer, id: string): Promise<readonly RunEvent[]> {
  const { events } = await jsonOf(await server.ask(`/runs/${id}/events`));
  return (events as readonly RunEvent[]).filter(({ kind }) => kind === "tool-end");
}

test("P1: a server tells what it keeps, so that a front end can say what is to be configured", async () => {
  await using forgetful = await serve({ model: unasked() });
  expect(await jsonOf(await forgetful.ask("/server"))).toMatchObject({
    sessions: true,
    runs: { kind: "memory", most: 200 },
    artifacts: false,
    outlivesReaders: false,
  });
  await using keeping = await serve(
    { model: unasked() },
    { store: memoryRuns(), agUi: { onDisconnect: "continue" } },
  );
  expect(await jsonOf(await keeping.ask("/server"))).toMatchObject({
    runs: { kind: "store" },
    outlivesReaders: true,
  });
});

test("P1: an agent is shown as it is made: instructions, model and why, rules", async () => {
  await using server = await serve({
    description: "Greets.",
    instructions: "Be brief.",
    model: unasked(),
    mode: "react",
    approval: { default: "ask", tools: { add: () => "allow" } },
    discovery: { servers: true, tools: { limit: 5 } },
    limits: { maxSteps: 3 },
  });
  expect(await definitionOf(server)).toEqual({
    kind: "agent",
    name: "tester",
    description: "Greets.",
    mode: "react",
    instructions: { kind: "text", text: "Be brief." },
    model: "scripted",
    modelReason: "The agent names it.",
    fallbackModels: [],
    approval: { default: "ask", tools: { add: "function" }, servers: {}, annotations: {} },
    discovery: { servers: true, tools: { limit: 5, scorer: "default" } },
    limits: { maxSteps: 3 },
    hasTypedOutput: false,
  });
});

test("P1: an agent without a model of its own says which it has, and why", async () => {
  await using server = await serve({});
  expect(await definitionOf(server)).toMatchObject({
    model: "offline",
    modelReason: expect.stringContaining("No language model is used"),
    instructions: { kind: "none" },
  });
});

test("instructions that a function makes are shown as this caller would get them", async () => {
  await using server = await serve({
    model: unasked(),
    instructions: ({ run }) => {
      if (run.actor === "eve") {
        throw new Error("no plan for eve");
      }
      return `Help ${run.actor}.`;
    },
  });
  expect((await definitionOf(server)).instructions).toEqual({
    kind: "function",
    text: "Help ada.",
  });
  expect((await definitionOf(server, "eve")).instructions).toEqual({
    kind: "function",
    error: "no plan for eve",
  });
});

test("P1: tools are told with schema, annotations and pin state, servers with their state and no secret", async () => {
  const secrets = { header: "Bearer hush-header", token: "hush-token", variable: "hush-variable" };
  const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
  await using server = await serve({
    model: unasked(),
    tools: [add],
    mcp: [
      {
        name: "everything",
        description: "Shows everything.",
        transport: {
          type: "stdio",
          command: process.execPath,
          args: [everything, "stdio"],
          env: { API_KEY: secrets.variable },
        },
        pins: { mode: "warn", lock: { version: 1, servers: {} } },
      },
      {
        name: "gone",
        transport: {
          type: "streamable-http",
          url: `http://user:${secrets.token}@127.0.0.1:9/mcp?key=${secrets.token}`,
          headers: { authorization: secrets.header },
          allowInsecureHttp: true,
        },
      },
    ],
  });
  const text = await (await server.ask("/agents/tester/tools")).text();
  const { tools, servers } = JSON.parse(text);
  expect(tools[0]).toMatchObject({ name: "add", inputSchema: { required: ["a", "b"] } });
  expect(tools.find(({ name }: { readonly name: string }) => name === "echo")).toMatchObject({
    server: "everything",
    inputSchema: { type: "object" },
    annotations: expect.anything(),
    pin: "new",
  });
  expect(servers).toMatchObject([
    {
      name: "everything",
      description: "Shows everything.",
      status: "connected",
      serverInfo: { name: expect.any(String) },
      transport: { type: "stdio", env: ["API_KEY"] },
    },
    { name: "gone", status: "failed", tools: 0, error: { code: expect.any(String) } },
  ]);
  expect(text).not.toContain("hush");
}, 30_000);

test("P1: a tool is tried as its agent calls it, without a model", async () => {
  await using server = await serve({ model: unasked(), tools: [add], mode: "plan" });
  const response = await call(server, "add", { a: 1, b: 2 });
  expect(response.status).toBe(202);
  const { id, agent, actor } = await jsonOf(response);
  expect(response.headers.get("location")).toBe(`/runs/${id}`);
  expect([agent, actor]).toEqual(["tester/tools", "ada"]);
  expect((await settled(server, id)).status).toBe("completed");
  expect(await toolEnds(server, id)).toMatchObject([
    { name: "add", result: { kind: "success", value: 3 } },
  ]);
  expect((await jsonOf(await server.ask("/runs"))).runs).toMatchObject([{ id }]);
  expect((await jsonOf(await server.ask("/agents"))).length).toBe(1);
});

test("P1: a tool that needs approval is tried only after somebody has approved, also elsewhere", async () => {
  const store = memoryRuns();
  const made = () =>
    serve({ model: unasked(), tools: [add], approval: { default: "ask" } }, { store });
  await using server = await made();
  const { id } = await jsonOf(await call(server, "add", { a: 1, b: 2 }));
  const waiting = await settled(server, id);
  expect(waiting).toMatchObject({
    status: "suspended",
    waitingFor: [{ kind: "approval", call: { name: "add", arguments: { a: 1, b: 2 } } }],
  });
  expect(await toolEnds(server, id)).toEqual([]);
  expect(await refusalIn(await server.ask(`/runs/${id}/approve`, { as: "eve", body: {} }))).toEqual(
    [404, "not-found"],
  );
  await using other = await made();
  expect((await other.ask(`/runs/${id}/approve`, { body: {} })).status).toBe(202);
  expect((await settled(other, id)).status).toBe("completed");
  expect(await toolEnds(other, id)).toMatchObject([{ result: { kind: "success", value: 3 } }]);
});

test("a call that is denied, that fails or that names no tool is told as the agent is told it", async () => {
  const broken = defineTool({
    name: "broken",
    description: "Fails.",
    execute: () => {
      throw new ToolError("Nobody is at home.");
    },
  });
  await using server = await serve({
    model: unasked(),
    tools: [add, broken],
    approval: { tools: { add: () => ({ kind: "deny", reason: "not on Mondays" }) } },
  });
  const outcomes: unknown[] = [];
  for (const [tool, given] of [
    ["add", { a: 1, b: 2 }],
    ["broken", {}],
    ["gone", {}],
  ] as const) {
    const { id } = await jsonOf(await call(server, tool, given));
    await settled(server, id);
    const [end] = await toolEnds(server, id);
    outcomes.push(end?.kind === "tool-end" && end.result.kind === "error" && end.result.error);
  }
  expect(outcomes).toMatchObject([
    { message: expect.stringContaining("not on Mondays") },
    { message: "Nobody is at home." },
    { message: expect.stringContaining("gone") },
  ]);
});

test("arguments must be an object, and only single agents have tools to be tried", async () => {
  const dragoman = createDragoman({ env: {}, logger: silentLogger, sessions: memorySessions() });
  const agent = agentOf({ model: unasked(), tools: [add] });
  const both = dragoman.defineSequence({ name: "both", members: [agent] });
  await using server = await listening(createServer({ agents: [agent, both], auth, log: "none" }));
  const wrong = await server.ask("/agents/tester/tools/add/calls", { body: { arguments: [1] } });
  expect(await refusalIn(wrong)).toEqual([400, "invalid-input"]);
  const none = await server.ask("/agents/both/tools/add/calls", { body: { arguments: {} } });
  expect(await refusalIn(none)).toEqual([404, "not-found"]);
  expect(await jsonOf(await server.ask("/agents/both/definition"))).toEqual({
    kind: "assembly",
    name: "both",
  });
});

test("a live agent's connections are used for calls by hand, and its runs are not disturbed", async () => {
  let opened = 0;
  const dragoman = createDragoman({ env: {}, logger: silentLogger, sessions: memorySessions() });
  const agent = dragoman.defineAgent({
    name: "tester",
    model: modelOf("Hello."),
    mcp: [
      {
        name: "kept",
        open: async () => {
          opened += 1;
          return { tools: [add], close: async () => {} };
        },
      },
    ],
  });
  await using live = await agent.start();
  await using server = await listening(createServer({ agents: [live], log: "none" }));
  const ask = (path: string, body: object) => server.ask(path, { as: null, body });
  const { id } = await jsonOf(
    await ask("/agents/tester/tools/add/calls", { arguments: { a: 2, b: 2 } }),
  );
  await expect
    .poll(async () => (await jsonOf(await server.ask(`/runs/${id}`, { as: null }))).status)
    .toBe("completed");
  await eventsIn(await ask("/agents/tester/ag-ui", agUiInput("Hi")));
  expect(opened).toBe(1);
});
