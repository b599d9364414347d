import { afterEach, expect, test } from "vitest";
import type { RunEvent } from "../src/agent/run-event.ts";
import type { RunResult } from "../src/agent/run-result.ts";
import type { Logger } from "../src/base/logger.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import type { McpTransport } from "../src/tool/mcp-server-config.ts";
import type { Toolset, UnavailablePolicy } from "../src/tool/toolset.ts";
import { add, agentOf, collect, modelOf } from "./agent-fixture.ts";
import { fakeStdio, runningChildren } from "./fixtures/mcp/servers.ts";
import { type LoopbackServer, startHttp, startTcp } from "./loopback.ts";
import { MortalStore } from "./mortal-store.ts";

const servers: LoopbackServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
  // Whoever was given up is gone when its run is over.
  expect(runningChildren()).toEqual([]);
});

const policies: readonly UnavailablePolicy[] = ["record", "ignore", "fail"];
const urlTypes = ["streamable-http", "sse", "ws"] as const;

const urlTransport = (type: (typeof urlTypes)[number], origin: string): McpTransport => {
  const url = type === "ws" ? origin.replace(/^http/, "ws") : origin;
  return { type, url: `${url}/mcp`, allowInsecureHttp: true };
};

interface Outcome {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  readonly logged: readonly unknown[][];
  /** What onError was told. */
  readonly told: readonly unknown[];
}

type ToolsetSettings = Partial<Parameters<typeof mcpToolset>[0]>;

async function runWith(
  settings: ToolsetSettings,
  onUnavailable: UnavailablePolicy,
  options: Parameters<ReturnType<typeof agentOf>["stream"]>[1] = {},
  config: Parameters<typeof agentOf>[1] = {},
): Promise<Outcome> {
  const logged: unknown[][] = [];
  const told: unknown[] = [];
  const log = (...entry: unknown[]): void => void logged.push(entry);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const toolset = mcpToolset({
    name: "far",
    transport: fakeStdio(),
    onUnavailable,
    onError: (error) => void told.push(error),
    timeoutMs: 20_000,
    ...settings,
  } as Parameters<typeof mcpToolset>[0]);
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "Three.");
  const agent = agentOf({ model, tools: [add], mcp: [toolset] }, { logger, ...config });
  const run = agent.stream("Go", options);
  const [events, result] = await Promise.all([collect(run), run.result]);
  return { result, events, logged, told };
}

/** Servers that cannot be used, by how they cannot. */
const unusable: Readonly<Record<string, () => McpTransport | Promise<McpTransport>>> = {
  "a program that is not there": () => ({ type: "stdio", command: "/nonexistent/program" }),
  "a program that ends": () => fakeStdio({ exitCode: 3 }),
  "a program that speaks nonsense": () => fakeStdio({ pages: { "": { tools: 7 } } }),
  ...Object.fromEntries(
    urlTypes.flatMap((type) => [
      [
        `nobody who listens for ${type}`,
        async () => {
          const server = await startTcp(() => {});
          await server[Symbol.asyncDispose]();
          return urlTransport(type, server.origin);
        },
      ],
      [
        `a server that answers ${type} with 500`,
        async () => {
          const server = await startHttp(
            (_request, response) => void response.writeHead(500).end(),
          );
          servers.push(server);
          return urlTransport(type, server.origin);
        },
      ],
    ]),
  ),
};

const eachUnusable = Object.keys(unusable).flatMap((what) =>
  policies.map((policy) => [what, policy] as const),
);

test.each(eachUnusable)("R15, L-C9, G-T13: %s under the policy %s", async (what, policy) => {
  const transport = (await unusable[what]?.()) ?? fakeStdio();
  const { result, events, logged, told } = await runWith({ transport }, policy);
  const failures = events.filter(({ kind }) => kind === "server-fail");
  switch (policy) {
    case "record":
      expect(result).toMatchObject({ status: "completed", text: "Three." });
      expect(result.failedServers).toMatchObject([{ name: "far", error: { server: "far" } }]);
      expect(failures).toMatchObject([{ server: "far", error: result.failedServers[0]?.error }]);
      expect(logged).toEqual([
        [
          expect.stringMatching(/^agent "tester" goes on without MCP server "far": ./),
          { agent: "tester", server: "far", code: result.failedServers[0]?.error.code },
        ],
      ]);
      expect(told).toEqual([]);
      break;
    case "ignore":
      expect(result).toMatchObject({ status: "completed", text: "Three.", failedServers: [] });
      expect([failures, logged]).toEqual([[], []]);
      expect(told).toEqual([expect.objectContaining({ code: expect.stringMatching(/^mcp-/) })]);
      break;
    case "fail":
      expect(result).toMatchObject({ status: "failed", error: { code: "server-unavailable" } });
      expect(result.orThrow).toThrow(/"far"/);
  }
});

const wrongTransports: readonly (readonly [string, object])[] = [
  ["an unknown type", { type: "pigeon" }],
  ["no command", { type: "stdio" }],
  ["a plain http: URL", { type: "http", url: "http://host/mcp" }],
  ["an sse URL that is none", { type: "sse", url: "nowhere" }],
  ["a ws: URL of http:", { type: "ws", url: "file:///x" }],
];

test.each(
  wrongTransports.flatMap(([what, transport]) =>
    policies.map((policy) => [what, policy, transport] as const),
  ),
)(
  "R4, G-T14: a transport function that gives %s under the policy %s",
  async (_what, policy, transport) => {
    const { result, told } = await runWith({ transport: () => transport as McpTransport }, policy);
    if (policy === "record") {
      expect(result).toMatchObject({
        status: "completed",
        failedServers: [{ name: "far", error: { code: "invalid-configuration" } }],
      });
    } else {
      expect(result).toMatchObject({ status: "failed", error: { code: "invalid-configuration" } });
    }
    expect(told).toEqual([]);
  },
);

const mistake = new Error("the token store is down");
const broken = (): never => {
  throw mistake;
};

const callbacks: Readonly<Record<string, ToolsetSettings>> = {
  transport: { transport: broken },
  mapTool: { mapTool: broken },
};

test.each(
  Object.keys(callbacks).flatMap((name) => policies.map((policy) => [name, policy] as const)),
)("G-T14: what the callback %s throws ends the run under the policy %s", async (name, policy) => {
  const { result, told } = await runWith(callbacks[name] ?? {}, policy);
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "callback-failed", message: expect.stringContaining(mistake.message) },
    cause: { cause: mistake },
  });
  expect(told).toEqual([]);
});

test.each(policies)(
  "G-T14: a mapTool that gives no tool ends the run under the policy %s",
  async (policy) => {
    const { result } = await runWith({ mapTool: () => undefined as never }, policy);
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid-definition" } });
  },
);

test("G-T14: what onError throws ends the run", async () => {
  const transport: McpTransport = { type: "stdio", command: "/nonexistent/program" };
  const { result } = await runWith({ transport, onError: broken }, "ignore");
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "callback-failed", message: expect.stringContaining("onError") },
    cause: { cause: mistake },
  });
});

/** A server that is reached and never answers; `reached` is called when somebody has come. */
async function silent(
  type: "stdio" | (typeof urlTypes)[number],
  reached: () => void,
): Promise<ToolsetSettings> {
  if (type === "stdio") {
    const program =
      "process.stdin.once('data', () => process.stderr.write('x'));setInterval(() => {}, 1e6)";
    const transport: McpTransport = { type, command: process.execPath, args: ["-e", program] };
    return {
      transport: () => {
        setImmediate(reached);
        return transport;
      },
    };
  }
  const server = await startTcp((socket) => void socket.once("data", reached));
  servers.push(server);
  return { transport: urlTransport(type, server.origin) };
}

test.each(
  (["stdio", ...urlTypes] as const).flatMap((type) =>
    policies.map((policy) => [type, policy] as const),
  ),
)(
  "G-T14: cancellation and deadline end a run that opens a silent server over %s under the policy %s",
  async (type, policy) => {
    const controller = new AbortController();
    const cancelling = await silent(type, () => controller.abort("the user left"));
    const cancelled = await runWith(cancelling, policy, { signal: controller.signal });
    expect(cancelled.result).toMatchObject({ status: "cancelled", reason: "the user left" });

    const clock = manualClock();
    const waiting = await silent(type, () => clock.advance(2_000));
    const late = await runWith(waiting, policy, { timeoutMs: 1_000 }, { clock });
    expect(late.result).toMatchObject({ status: "failed", error: { code: "deadline-exceeded" } });
    for (const { result, told, logged } of [cancelled, late]) {
      expect(result.failedServers).toEqual([]);
      expect([told, logged]).toEqual([[], []]);
    }
  },
);

const toolsetThatIsOpen: Toolset = {
  name: "ready",
  open: async () => ({ tools: [], close: async () => {} }),
};

/** A program that never greets. */
const greetsNobody: McpTransport = {
  type: "stdio",
  command: process.execPath,
  args: ["-e", "setInterval(() => {}, 1000)"],
};

test.each(policies)(
  "a run that is cancelled leaves no process that it was starting behind (%s)",
  async (onUnavailable) => {
    const toolset = mcpToolset({ name: "silent", transport: greetsNobody, onUnavailable });
    const run = agentOf({ model: modelOf("ok"), mcp: [toolset] }).stream("Go");
    const { result } = run;
    await expect.poll(() => runningChildren().length).toBe(1);
    run.cancel("enough");
    expect(await result).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(runningChildren()).toEqual([]);
  },
);

test("a run that is over leaves no process behind that was slow to start", async () => {
  const files = mcpToolset({ name: "silent", transport: greetsNobody });
  const definition = { model: modelOf("ok"), tools: [add], mcp: [files, toolsetThatIsOpen] };
  const result = await agentOf({ ...definition, serverWaitMs: 1 }).ask("Go");
  expect(result.failedServers).toMatchObject([{ error: { code: "server-not-ready" } }]);
  expect(runningChildren()).toEqual([]);
});

test("a server whose opening cannot be recorded is closed", async () => {
  const store = new MortalStore(0);
  const toolset = mcpToolset({ name: "files", transport: fakeStdio() });
  const agent = agentOf({ model: modelOf("ok"), mcp: [toolset] });
  const result = await agent.ask("Go", { store });
  expect(result.status).toBe("failed");
  expect(runningChildren()).toEqual([]);
});
