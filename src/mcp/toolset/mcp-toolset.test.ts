import { afterEach, expect, test } from "vitest";
import {
  type FakeHttpServer,
  startFakeHttpServer,
} from "../../../test/fixtures/mcp/fake-http-server.ts";
import type { Page } from "../../../test/fixtures/mcp/fake-server.ts";
import type { StdioBehaviour } from "../../../test/fixtures/mcp/fake-stdio-server.ts";
import { fakeStdio, runningChildren } from "../../../test/fixtures/mcp/servers.ts";
import { bindingFor, callTool, keepNotices } from "../../../test/fixtures/mcp/tool-call.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { McpServerConfig } from "../../tool/mcp-server-config.ts";
import type { Tool, ToolProgress } from "../../tool/tool.ts";
import type { OpenToolset } from "../../tool/toolset.ts";
import { McpError } from "../wire/mcp-error.ts";
import { mcpToolset } from "./mcp-toolset.ts";
import type {
  McpToolsetOptions,
  McpToolsetServer,
  McpToolsetSettings,
} from "./mcp-toolset-options.ts";

const open: OpenToolset[] = [];
const servers: FakeHttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((toolset) => toolset.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
  expect(runningChildren()).toEqual([]);
});

type Settings = Partial<McpToolsetServer & McpToolsetSettings> & {
  readonly behaviour?: StdioBehaviour;
};

interface Opened extends OpenToolset {
  readonly notices: readonly string[];
  tool(name: string): Tool | undefined;
}

async function openFake({ behaviour, ...settings }: Settings = {}): Promise<Opened> {
  const observer = keepNotices();
  const toolset = mcpToolset({ name: "fake", transport: fakeStdio(behaviour), ...settings });
  const opened = await toolset.open(bindingFor(), observer);
  open.push(opened);
  const tool = (name: string): Tool | undefined =>
    opened.tools.find((candidate) => candidate.name === name);
  return { ...opened, notices: observer.notices, tool };
}

const publishing = (...tools: unknown[]): { behaviour: { pages: Record<string, Page> } } => ({
  behaviour: { pages: { "": { tools } } },
});

const named = (name: string): unknown => ({ name, inputSchema: { type: "object" } });

const text = (words: string): unknown => ({
  kind: "success",
  value: words,
  content: [{ kind: "text", text: words }],
});

test("G-T4: every published tool is there under its normalised name, and called by its own", async () => {
  const { tools } = await openFake(
    publishing(
      { ...(named("get.sum") as object), description: "Adds" },
      named("検索"),
      named("echo"),
    ),
  );
  expect(tools.map(({ name }) => name)).toEqual([
    "get_sum",
    expect.stringMatching(/^tool_[0-9a-f]{8}$/),
    "echo",
  ]);
  expect(tools[0]).toMatchObject({
    description: "Adds",
    source: { server: "fake", name: "get.sum" },
    idempotent: false,
  });
  expect(tools[1]?.description).toBe('A tool of the MCP server "fake".');
});

test("G-T5: renaming never changes the name that is sent to the server", async () => {
  const { tools } = await openFake({
    tools: { echo: "my_echo" },
    mapTool: (tool) => tool.with({ name: "other" }),
  });
  expect(tools.map(({ name }) => name)).toEqual(["other"]);
  expect(await callTool(tools[0], { a: 1 })).toMatchObject({
    value: expect.stringContaining('"name":"echo","arguments":{"a":1}'),
  });
});

test("the idempotency key goes to the server as metadata", async () => {
  const { tool } = await openFake();
  expect(await callTool(tool("echo"), {})).toMatchObject({
    value: expect.stringContaining('"dragoman/idempotency-key":"key-1"'),
  });
});

test("L-C4: a list of names gives exactly these, and a notice for what is not there", async () => {
  const names = ["finish", "ecko", "echo", "nonsense", "Echo", "ech"];
  const { tools, notices } = await openFake({ tools: names });
  expect(tools.map(({ name }) => name)).toEqual(["finish", "echo"]);
  expect(notices).toHaveLength(4);
  expect(notices.slice(0, 2)).toEqual([
    'mcp-tool-not-published: MCP server "fake": It has no usable tool "ecko". Did you mean "echo"?',
    expect.stringContaining('"nonsense". It publishes echo, result, fail, hang,'),
  ]);
});

test("L-C5: when no name matches, the connection is there and no tool is", async () => {
  const { tools, serverInfo, notices } = await openFake({ tools: ["nothing_of_it"] });
  expect(tools).toEqual([]);
  expect(serverInfo).toEqual({ name: "fake", version: "1.2.3" });
  expect(notices).toHaveLength(1);
});

test("G-T5: mapTool gets definition and binding, and may leave a tool out or replace it", async () => {
  const own = defineTool({ name: "own", description: "Own", execute: () => 1 });
  const seen: string[] = [];
  const { tools } = await openFake({
    tools: ["echo", "hang", "fail"],
    mapTool: (tool, { definition, binding }) => {
      seen.push(`${definition.sourceName} of ${binding.run.id}`);
      return { echo: tool, hang: null, fail: own }[definition.sourceName] ?? null;
    },
  });
  expect(tools.map(({ name }) => name)).toEqual(["echo", "own"]);
  expect(seen).toEqual(["echo of run_1", "hang of run_1", "fail of run_1"]);
});

test("G-T9: mapResult gets the complete result, the call and the binding", async () => {
  const result = { content: [], structuredContent: { a: 1 }, _meta: { trace: "t" } };
  const { tool } = await openFake({
    mapResult: async (given, { call, binding }) => ({
      given,
      tool: call.definition.sourceName,
      call: [call.id, call.arguments],
      run: binding.run.id,
    }),
  });
  expect(await callTool(tool("result"), { result })).toEqual({
    given: result,
    tool: "result",
    call: ["call_1", { result }],
    run: "run_1",
  });
});

test("mapResult may return null, and its own error fails the call", async () => {
  const none = await openFake({ mapResult: () => null });
  expect(await callTool(none.tool("echo"), {})).toBeNull();
  const failing = await openFake({
    mapResult: () => {
      throw new RangeError("mine");
    },
  });
  await expect(callTool(failing.tool("echo"), {})).rejects.toThrow(RangeError);
});

test("G-T9: a result that mapResult returns as it is keeps the default", async () => {
  const { tool } = await openFake({ mapResult: (result) => result });
  const result = { content: [{ type: "text", text: "words" }] };
  expect(await callTool(tool("result"), { result })).toEqual(text("words"));
});

test("an error that the server reports is a result for the model", async () => {
  const { tool } = await openFake();
  const result = { content: [{ type: "text", text: "boom" }], isError: true };
  expect(await callTool(tool("result"), { result })).toMatchObject({
    kind: "error",
    error: { code: "remote-tool", message: "boom" },
  });
});

test("L-C11: an error of the protocol keeps message, code and data, and the call is not made again", async () => {
  const { tool } = await openFake();
  const error = { code: -32_602, message: "Invalid params", data: { field: "amount" } };
  await expect(callTool(tool("fail"), { error })).rejects.toMatchObject({
    code: "remote-tool",
    message: "Invalid params",
    data: { code: -32_602, data: { field: "amount" } },
  });
  const { value } = (await callTool(tool("received"), {})) as { readonly value: string };
  expect(value.match(/"name":"fail"/g)).toHaveLength(1);
});

test("a lost connection is a tool error that names the server and why", async () => {
  const { tool } = await openFake();
  const attempt = callTool(tool("exit"), { code: 5, words: "secret stack trace" });
  const error = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "tool-network", data: { kind: "mcp-connection-closed" } });
  expect(String(error)).toMatch(/The MCP server "fake" .* ended with exit code 5\.$/);
});

test("a call that takes too long is a tool error", async () => {
  const { tool } = await openFake({ timeoutMs: 1500 });
  const error = await callTool(tool("hang"), {}).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "tool-timeout", data: { kind: "mcp-timeout" } });
});

test("an abort is the signal's reason, and progress reaches the call", async () => {
  const { tool } = await openFake();
  const controller = new AbortController();
  const reports: ToolProgress[] = [];
  const hanging = callTool(
    tool("hang"),
    {},
    { signal: controller.signal, progress: (progress) => void reports.push(progress) },
  ).catch((thrown: unknown) => thrown);
  await callTool(tool("step"), { progress: 0.5, total: 1 });
  await expect.poll(() => reports).toEqual([{ progress: 0.5, total: 1 }]);
  const reason = new Error("stop");
  controller.abort(reason);
  expect(await hanging).toBe(reason);
});

test("what is wrong with one tool is a notice that names server and tool", async () => {
  const { tools, notices } = await openFake(publishing({ name: "bad" }, named("good")));
  expect(tools.map(({ name }) => name)).toEqual(["good"]);
  expect(notices).toEqual([
    'mcp-tool-malformed: MCP server "fake": The tool "bad" is left out: its inputSchema is not an object.',
  ]);
});

test("G-T15: limits and outputMismatch of a toolset reach list and results", async () => {
  const strict = { type: "object", required: ["x"] };
  const { tools, tool, notices } = await openFake({
    ...publishing(
      { ...(named("result") as object), outputSchema: strict },
      { ...(named("echo") as object), outputSchema: { $ref: "#/$defs/Gone" } },
      named("hang"),
    ),
    limits: { maxTools: 2, maxImages: 1 },
    outputMismatch: "warn",
  });
  expect(tools.map(({ name }) => name)).toEqual(["result", "echo"]);
  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const result = { content: [image, image], structuredContent: {} };
  const returned = await callTool(tool("result"), { result });
  expect(JSON.stringify(returned)).toContain("limits.maxImages (1)");
  for (const _time of ["first", "second"]) {
    expect(await callTool(tool("echo"), {})).toMatchObject({ kind: "success" });
  }
  expect(notices).toEqual([
    expect.stringMatching(/^mcp-too-many-tools: MCP server "fake": .* limits.maxTools \(2\)/),
    expect.stringMatching(/^mcp-output-mismatch: MCP server "fake": The tool "result" returned/),
    expect.stringMatching(
      /^mcp-schema-unusable: MCP server "fake": The tool "echo": its outputSchema/,
    ),
  ]);
});

test("disabled tools are not had, and nothing is told of them", async () => {
  const { tools, notices } = await openFake({
    ...publishing({ name: "bad" }, named("good"), named("evil")),
    disabledTools: ["evil", "bad", "gone"],
  });
  expect(tools.map(({ name }) => name)).toEqual(["good"]);
  expect(notices).toEqual([]);
});

test("of a tool that is not wanted nothing is told", async () => {
  const { tools, notices } = await openFake({
    ...publishing({ name: "bad" }, named("good"), named("good")),
    tools: { good: "fine" },
  });
  expect(tools.map(({ name }) => name)).toEqual(["fine"]);
  expect(notices).toEqual([expect.stringContaining("mcp-tool-duplicate")]);
});

test("G-T3: each run connects with the transport of its caller", async () => {
  const server = await startFakeHttpServer();
  servers.push(server);
  const toolset = mcpToolset({
    name: "far",
    transport: async ({ run }) => ({
      type: "http",
      url: server.url,
      token: `token-of-${run.actor}`,
      allowInsecureHttp: true,
    }),
  });
  const actors = ["ann", "bob"];
  const toolsets = await Promise.all(
    actors.map((actor) => toolset.open(bindingFor({ actor }), keepNotices())),
  );
  open.push(...toolsets);
  const seen = server.requests.filter(({ message }) => message?.["method"] === "initialize");
  expect(seen.map(({ headers }) => headers.authorization).toSorted()).toEqual([
    "Bearer token-of-ann",
    "Bearer token-of-bob",
  ]);
});

async function refusalOf(settings: Settings, signal?: AbortSignal): Promise<unknown> {
  const { behaviour, ...rest } = settings;
  const toolset = mcpToolset({ name: "fake", transport: fakeStdio(behaviour), ...rest });
  const binding = bindingFor(signal ? { signal } : {});
  const outcome = await toolset.open(binding, keepNotices()).then(
    (opened) => {
      open.push(opened);
      return "it opened";
    },
    (error: unknown) => error,
  );
  expect(runningChildren()).toEqual([]);
  return outcome;
}

const mistake = new Error("token store is down");
const broken = (): never => {
  throw mistake;
};

test("a server that cannot be used is an McpError, and nothing is left of it", async () => {
  expect(McpError.is(await refusalOf({ behaviour: { exitCode: 1 } }))).toBe(true);
  const pages = { "": { tools: 7 } };
  expect(await refusalOf({ behaviour: { pages, stubborn: true } })).toMatchObject({
    code: "mcp-protocol",
  });
});

test.each([
  ["the transport function", { transport: broken }],
  ["mapTool", { mapTool: broken, behaviour: { stubborn: true } }],
] as const)(
  "what %s throws is no failure of the server, and nothing is left",
  async (_what, settings) => {
    const error = await refusalOf(settings);
    expect(ConfigurationError.is(error)).toBe(true);
    expect(error).toMatchObject({
      message: expect.stringContaining("token store is down"),
      cause: mistake,
    });
  },
);

test("a transport function that gives no transport is a fault of the configuration", async () => {
  const transport = () => ({ type: "stdio" }) as unknown as McpServerConfig["transport"];
  expect(await refusalOf({ transport })).toMatchObject({
    code: "invalid-configuration",
    message: expect.stringContaining('"command" is missing'),
  });
});

test("what mapTool puts in the place of a server's tool still comes from the server", async () => {
  const lookup = defineTool({
    name: "lookup",
    description: "Looks up.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    execute: ({ text }: { text?: string }) => `looked up ${text}`,
  });
  const toolset = mcpToolset({
    name: "fake",
    transport: fakeStdio(),
    tools: ["echo"],
    mapTool: () => lookup,
  });
  const opened = await toolset.open(bindingFor(), keepNotices());
  const [tool] = opened.tools;
  const renamed = tool?.with({ name: "find", timeoutMs: 5 });
  const source = { server: "fake", name: "echo" };
  expect(tool).toMatchObject({ name: "lookup", parameters: lookup.parameters, source });
  expect(renamed).toMatchObject({ name: "find", timeoutMs: 5, source });
  expect(await callTool(renamed, { text: "it" })).toBe("looked up it");
  await opened.close();
});

test("a mapTool that returns nothing is a mistake that is told", async () => {
  const mapTool = (() => undefined) as unknown as NonNullable<McpToolsetOptions["mapTool"]>;
  expect(await refusalOf({ mapTool })).toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining("neither a tool nor null"),
  });
});

test("an abort in each phase of opening is the signal's reason, and nothing is left", async () => {
  const reason = new Error("the user left");
  expect(await refusalOf({}, AbortSignal.abort(reason))).toBe(reason);

  const early = new AbortController();
  const waiting = (): Promise<never> => {
    early.abort(reason);
    return new Promise(() => {});
  };
  expect(await refusalOf({ transport: waiting }, early.signal)).toBe(reason);

  const late = new AbortController();
  const mapTool = (): never => {
    late.abort(reason);
    throw new Error("aborted");
  };
  expect(await refusalOf({ mapTool, behaviour: { stubborn: true } }, late.signal)).toBe(reason);
});
