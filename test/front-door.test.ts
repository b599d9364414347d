import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAgUiHandler } from "../src/ag-ui/create-ag-ui-handler.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import { Credentials } from "../src/credentials/credentials.ts";
import { HttpClient } from "../src/http/http-client.ts";
import { McpClient } from "../src/mcp/client/mcp-client.ts";
import { readMcpConfig } from "../src/mcp/config/read-mcp-config.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import { openAiCompatible } from "../src/models/openai/openai-compatible.ts";
import { modelOfId } from "../src/provider-ids.ts";
import { createServer } from "../src/server/create-server.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { agentOf, collect, modelOf } from "./agent-fixture.ts";
import { createCertificate } from "./certificate.ts";
import { fakeStdio } from "./fixtures/mcp/servers.ts";
import { startHttps } from "./loopback.ts";

// What newcomers get wrong, and what they are told: what failed, on what, and what to do.

const agent = agentOf({ model: modelOf("Hi.") });
const tool = { name: "t", description: "T.", execute: () => 1 };
const auth = { token: "0123456789abcdef" };
const model = { model: "m", apiKey: "k" };
const transport = fakeStdio();

/** What TypeScript would not let pass, as JavaScript does. */
const wrong = (value: unknown): never => value as never;

test.each<readonly [string, () => unknown, RegExp]>([
  ["an agent without a name", () => agentOf(wrong({ name: "" })), /needs a name: defineAgent\(\{/],
  [
    "a misspelt option of an agent",
    () => agentOf(wrong({ instrcutions: "x" })),
    /unknown property "instrcutions"\. Did you mean "instructions"\?/,
  ],
  [
    "instructions that are none",
    () => agentOf(wrong({ instructions: 5 })),
    /instructions of agent "tester" must be a text, or a function/,
  ],
  ["a tool that is nothing", () => defineTool(wrong(undefined)), /defineTool needs an object/],
  [
    "a schema that is a text",
    () => defineTool({ ...tool, inputSchema: wrong("string") }),
    /inputSchema of tool "t" is not a schema/,
  ],
  [
    "a schema of what is no object",
    () => defineTool({ ...tool, inputSchema: wrong(z.string()) }),
    /describes a value of type "string"; models can only pass an object/,
  ],
  ["a toolset of nothing", () => mcpToolset(wrong(undefined)), /mcpToolset needs an object/],
  [
    "a misspelt callback of a client",
    () => new McpClient({ name: "a", transport }, wrong({ onElicit: () => {} })),
    /McpClient "a" has an unknown property "onElicit"\. Did you mean "onElicitation"\?/,
  ],
  [
    "a slip in the auth of a server, which would let everybody in",
    () => createServer(wrong({ agents: [agent], atuh: auth })),
    /createServer has an unknown property "atuh"\. Did you mean "auth"\?/,
  ],
  ["a server of nothing", () => createServer(wrong(undefined)), /createServer must be an object/],
  [
    "a misspelt limit of a server",
    () => createServer({ agents: [agent], limits: wrong({ maxBodyByte: 1 }) }),
    /Did you mean "maxBodyBytes"\?/,
  ],
  [
    "a misspelt part of the MCP server",
    () => createServer({ agents: [agent], mcp: wrong({ tool: [] }) }),
    /mcp of createServer has an unknown property "tool"\. Did you mean "tools"\?/,
  ],
  [
    "a misspelt option of an AG-UI handler",
    () => createAgUiHandler(agent, wrong({ authenticate: () => ({}), session: "none" })),
    /Did you mean "sessions"\?/,
  ],
  [
    "what another library calls an option of a model",
    () => openAiCompatible(wrong({ ...model, baseURL: "https://x.example/v1" })),
    /openAiCompatible\(\{ … \}\) has an unknown property "baseURL"\. It is called "baseUrl" here/,
  ],
  [
    "a model without a URL",
    () => openAiCompatible(wrong(model)),
    /The baseUrl of model "openai-compatible:m" is no http: or https: URL\. Give one such as/,
  ],
  [
    "an option of an HTTP client at the wrong place",
    () => new HttpClient(wrong({ baseUrl: "https://x.example", retry: { attempts: 2 } })),
    /unknown property "retry"\. It is called "options: \{ retry \}" here/,
  ],
  [
    "what another library calls an option of an HTTP client",
    () => new HttpClient({ baseUrl: "https://x.example", options: wrong({ timeout: 5 }) }),
    /It is called "readTimeoutMs" here/,
  ],
  ["an HTTP client without a URL", () => new HttpClient(wrong({})), /base URL .* is not valid/],
  [
    "credentials without their level",
    () => new Credentials(wrong({ weather: { kind: "bearer" } })),
    /Credentials, \{ definitions, store, … \}, has an unknown property "weather"/,
  ],
  ["no credentials at all", () => new Credentials(wrong({})), /definitions of Credentials must be/],
  [
    "a logger that is a function",
    () => createDragoman({ logger: wrong(console.log) }),
    /logger of the configuration has no function debug\. It needs debug, info, warn and error/,
  ],
])("%s is refused where it is written", (_, make, words) => {
  expect(make).toThrow(words);
});

test("a provider without a model is told which models there are, by an example", async () => {
  await expect(modelOfId("gemini", {})).rejects.toThrow(
    /There is no model "gemini"\. "gemini" is a provider: which model of it\? Such as "gemini:gemini-/,
  );
});

test("a name in tools that nobody has is told to the logger as well", async () => {
  const told: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void told.push(message) };
  await agentOf({ model: modelOf("Hi."), tools: ["nosuch"] }, { logger }).ask("Hi");
  expect(told).toEqual(['agent "tester": No tool is called "nosuch".']);
});

test.each([
  ["a text", "No luck.", "No luck."],
  ["nothing", undefined, "What was thrown is undefined, which says nothing"],
  ["an object", { secret: "hunter2" }, "What was thrown is an object, which says nothing"],
])("a tool that throws %s fails with words that a model can read", async (_, thrown, words) => {
  const boom = defineTool({
    name: "boom",
    description: "Fails.",
    execute: () => {
      throw thrown;
    },
  });
  const turns = modelOf({ calls: [{ name: "boom" }] }, "ok");
  const events = await collect(agentOf({ model: turns, tools: [boom] }).stream("Hi"));
  const end = JSON.stringify(events.find(({ kind }) => kind === "tool-end"));
  expect(end).toContain(words);
  expect(end).not.toContain("hunter2");
});

const failure = async (script: string): Promise<string> => {
  const client = new McpClient({
    name: "a",
    transport: { type: "stdio", command: process.execPath, args: ["-e", script] },
    timeoutMs: 10_000,
  });
  await client.tryConnect();
  await client.disconnect();
  return String(client.connectError);
};

test("a server that exits at once is told with its standard error", async () => {
  const message = await failure("console.error('DATABASE_URL is not set'); process.exit(3)");
  expect(message).toMatch(
    /ended with exit code 3\.\n.*standard error:\n {2}DATABASE_URL is not set/,
  );
});

test("a server that prints to its standard output is told where its words belong", async () => {
  expect(await failure("console.log('Listening on 3000')")).toMatch(
    /not JSON-RPC, the last one: "Listening on 3000"\. A server's own messages belong on its standard error\./,
  );
});

test("a certificate that nobody knows is told with the setting that makes it known", async () => {
  await using server = await startHttps(await createCertificate(), (_, response) =>
    response.end("x"),
  );
  const url = `${server.origin}/mcp`;
  const client = new McpClient({ name: "a", transport: { type: "http", url } });
  await client.tryConnect();
  expect(String(client.connectError)).toMatch(
    /certificate that is not to be trusted .* as "tls": \{ "ca": … \} of its transport/,
  );
});

test("a file that is not there is told with the place where it was looked for", async () => {
  const file = join("no", "such", "mcp.json");
  await expect(readMcpConfig(file, { env: {} })).rejects.toThrow(
    `The MCP configuration ${file} cannot be read: there is no file ${join(process.cwd(), file)}.`,
  );
});

test("a file of servers may have trailing commas and comments, and needs an env to be read with", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dragoman-door-"));
  try {
    const file = join(folder, "mcp.json");
    writeFileSync(
      file,
      '{ "mcpServers": { "a": { "command": "x", "args": ["y",], }, }, // mine\n}',
    );
    expect(await readMcpConfig(file, { env: {} })).toMatchObject([{ name: "a" }]);
    await expect(readMcpConfig(file, wrong(undefined))).rejects.toThrow(
      "readMcpConfig needs { env }: where the variables of the file are looked up",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
