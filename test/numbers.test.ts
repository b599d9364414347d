import { expect, test } from "vitest";
import { createAgUiHandler } from "../src/ag-ui/create-ag-ui-handler.ts";
import { ConfigurationError } from "../src/base/dragoman-error.ts";
import { createDragoman } from "../src/configure.ts";
import { LocalExecutor } from "../src/durable/local-executor.ts";
import { restateExecutor } from "../src/durable/restate/restate-executor.ts";
import { guardedFetch } from "../src/http/guarded-fetch.ts";
import { HttpClient } from "../src/http/http-client.ts";
import { sendHttpRequest } from "../src/http/send-http-request.ts";
import { readServerSentEvents } from "../src/http/server-sent-events.ts";
import { McpClient } from "../src/mcp/client/mcp-client.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import { anthropic } from "../src/models/anthropic/anthropic.ts";
import { gemini } from "../src/models/gemini/gemini.ts";
import { offlineModel } from "../src/models/offline/offline-model.ts";
import { ollama } from "../src/models/ollama/ollama.ts";
import { openAiCompatible } from "../src/models/openai/openai-compatible.ts";
import { OpenTelemetryTracing } from "../src/otel/open-telemetry-tracing.ts";
import { createServer } from "../src/server/create-server.ts";
import { fileArtifacts } from "../src/stores/file-artifacts.ts";
import { memoryArtifacts } from "../src/stores/memory-artifacts.ts";
import { memoryRuns } from "../src/stores/memory-runs.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import { sqliteRuns } from "../src/stores/sqlite-runs.ts";
import { memoryCatalogues } from "../src/tool/catalogue.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { agentOf, modelOf } from "./agent-fixture.ts";
import { fakeStdio } from "./fixtures/mcp/servers.ts";

/** What an application may pass by mistake where a number stands; TypeScript would not let it. */
type Wrong = Readonly<Record<string, never>>;

const agent = agentOf({ model: modelOf("Hi.") });
const tool = { name: "t", description: "T.", execute: () => 1 };
const transport = fakeStdio();
const key = { model: "m", apiKey: "k" };
const url = "http://127.0.0.1:1/";
const client = () => new McpClient({ name: "a", transport });
const http = new HttpClient({ baseUrl: url });

/** Each place where options with numbers come from an application, and what they are called there. */
const places: readonly (readonly [string, readonly string[], (options: Wrong) => unknown])[] = [
  ["a run", ["timeoutMs"], (options) => agent.ask("Hi", options)],
  ["limits of a run", ["maxSteps", "maxTokens"], (limits) => agent.ask("Hi", { limits })],
  [
    "an agent",
    ["toolTimeoutMs", "serverWaitMs", "maxContextTokens", "toolConcurrency", "maxReplans"],
    (options) => agentOf({ model: modelOf("Hi."), ...options }),
  ],
  ["retry", ["maxAttempts", "initialDelayMs", "maxDelayMs"], (retry) => agentOf({ retry })],
  ["approval", ["timeoutMs"], (approval) => agentOf({ approval })],
  ["a tool", ["timeoutMs"], (options) => defineTool({ ...tool, ...options })],
  [
    "artifacts",
    ["timeoutMs", "maxBytes", "maxRunBytes", "maxRunArtifacts"],
    (artifacts) => createDragoman({ artifacts }),
  ],
  [
    "a member",
    ["timeoutMs"],
    (options) => createDragoman().defineSequence({ name: "s", members: [{ agent, ...options }] }),
  ],
  [
    "an MCP client",
    ["timeoutMs"],
    (options) => new McpClient({ name: "a", transport, ...options }),
  ],
  ["an MCP toolset", ["timeoutMs"], (options) => mcpToolset({ name: "a", transport, ...options })],
  ["limits of MCP", ["maxTools"], (limits) => new McpClient({ name: "a", transport, limits })],
  ["a call of a tool", ["timeoutMs"], (options) => client().callTool("t", {}, options)],
  ["a list of resources", ["timeoutMs"], (options) => client().listResources(options)],
  ["a list of templates", ["timeoutMs"], (options) => client().listResourceTemplates(options)],
  ["a list of prompts", ["timeoutMs"], (options) => client().listPrompts(options)],
  ["reading a resource", ["timeoutMs"], (options) => client().readResource("x:y", options)],
  ["getting a prompt", ["timeoutMs"], (options) => client().getPrompt("p", {}, options)],
  [
    "a completion",
    ["timeoutMs"],
    (options) =>
      client().complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" }, options),
  ],
  [
    "an HTTP client",
    ["connectTimeoutMs", "readTimeoutMs", "writeTimeoutMs", "maxResponseBytes", "maxRedirects"],
    (options) => new HttpClient({ baseUrl: url, options }),
  ],
  [
    "retry of an HTTP client",
    ["attempts", "delayMs", "maxDelayMs"],
    (retry) => new HttpClient({ baseUrl: url, options: { retry: { attempts: 1, ...retry } } }),
  ],
  ["a request of it", ["readTimeoutMs"], (options) => http.get("/", { options })],
  [
    "an HTTP request",
    ["readTimeoutMs"],
    (more) => sendHttpRequest({ method: "GET", url, ...more }),
  ],
  ["a guarded one", ["maxRedirects"], (more) => guardedFetch({ method: "GET", url, ...more })],
  ["server-sent events", ["maxEventBytes"], (more) => readServerSentEvents(noBytes(), more).next()],
  ...[gemini, ollama, anthropic].map(
    (make) =>
      [
        `the model of ${make.name}`,
        ["connectTimeoutMs", "readTimeoutMs", "maxResponseBytes"],
        (options: Wrong) => make({ ...key, ...options }),
      ] as const,
  ),
  [
    "an OpenAI-compatible model",
    ["connectTimeoutMs", "readTimeoutMs", "maxResponseBytes"],
    (options) => openAiCompatible({ ...key, baseUrl: url, ...options }),
  ],
  ["Anthropic's", ["maxOutputTokens"], (options) => anthropic({ ...key, ...options })],
  ["the offline model", ["maxCalls"], (options) => offlineModel(options)],
  [
    "limits of a server",
    ["maxBodyBytes", "requestsPerMinute", "refusalsPerMinute", "maxOpenRequests"],
    (limits) => createServer({ agents: [agent], limits }),
  ],
  [
    "the end of a server",
    ["graceMs"],
    (options) => createServer({ agents: [agent], log: "none" }).close(options),
  ],
  [
    "an AG-UI handler",
    ["keepMs", "heartbeatMs"],
    (options) => createAgUiHandler(agent, { authenticate: () => ({}), ...options }),
  ],
  [
    "its limits",
    ["maxBytes", "maxMessages", "maxTools"],
    (limits) => createAgUiHandler(agent, { authenticate: () => ({}), limits }),
  ],
  ["runs in memory", ["maxRuns"], (options) => memoryRuns(options)],
  ["catalogues in memory", ["maxCatalogues"], (options) => memoryCatalogues(options)],
  ["artifacts in memory", ["maxTotalBytes", "maxArtifactBytes"], (more) => memoryArtifacts(more)],
  ["artifacts as files", ["maxArtifactBytes"], (more) => fileArtifacts({ folder: "x", ...more })],
  ["SQLite", ["maxBytes", "busyTimeoutMs"], (options) => sqliteRuns({ file: "x.db", ...options })],
  [
    "Postgres",
    ["maxConnections", "statementTimeoutMs", "lockTimeoutMs", "retryMs"],
    (options) => postgresRuns({ connectionString: "postgres://x", ...options }),
  ],
  [
    "an executor",
    ["concurrency"],
    (options) => new LocalExecutor({ store: memoryRuns(), agents: [], ...options }),
  ],
  [
    "executor on Restate",
    ["concurrency", "drainMs", "longestExecutionMs"],
    (options) => restateExecutor({ store: memoryRuns(), agents: [], ingress: url, ...options }),
  ],
  [
    "captured content",
    ["maxCharacters"],
    (more) => new OpenTelemetryTracing({ capture: { scrub: (_, value) => value, ...more } }),
  ],
];

async function* noBytes(): AsyncGenerator<Uint8Array> {}

const cases = places.flatMap(([place, names, make]) =>
  names.map((name) => [name, place, make] as const),
);

test.each(cases)(
  "%s of %s is refused, by its name, where it is no such number",
  async (name, _, make) => {
    for (const value of [Number.NaN, -1, "5", null]) {
      const options = { [name]: value as never }; // TypeScript knows better
      const refused = expect(async () => make(options)).rejects;
      await refused.toThrow(ConfigurationError);
      await refused.toThrow(new RegExp(`"?${name}"? .*must be`));
    }
  },
);
