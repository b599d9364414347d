import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { McpClient } from "../src/mcp/client/mcp-client.ts";
import { eventsIn, textIn } from "./ag-ui-client.ts";
import { dragoman, file, inFolderOfItsOwn, node, type Running, start } from "./command-line.ts";
import { agUiInput, jsonOf } from "./server-fixture.ts";

inFolderOfItsOwn();

const root = fileURLToPath(new URL("..", import.meta.url));
const main = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const sources = new URL("../src/index.ts", import.meta.url).href;
const testing = new URL("../src/testing/index.ts", import.meta.url).href;

/** A server in a process of its own, once it listens. */
async function serving(...args: readonly string[]): Promise<Running & { readonly url: string }> {
  const running = start("serve", "--port", "0", ...args);
  let url = "";
  running.child.stdout?.on("data", (text: string) => {
    url ||= /Serving at (\S+)/.exec(text)?.[1] ?? "";
  });
  await running.printed("Stop with Ctrl+C.");
  return { ...running, url };
}

test("without a configuration an agent over the current folder is served, until the server is stopped", async () => {
  const { url, child, outcome } = await serving();
  expect(await jsonOf(await fetch(`${url}/server`))).toMatchObject({
    sessions: true,
    artifacts: true,
    outlivesReaders: true,
  });
  expect(await jsonOf(await fetch(`${url}/agents`))).toMatchObject([{ name: "assistant" }]);
  const state = await jsonOf(await fetch(`${url}/agents/assistant/tools`));
  expect(state.servers).toMatchObject([{ name: "files", status: "connected" }]);
  const response = await fetch(`${url}/agents/assistant/ag-ui`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(agUiInput("List the directory docs")),
  });
  expect(textIn(await eventsIn(response))).toContain("agents.md");
  await using client = new McpClient({
    name: "served",
    transport: { type: "streamable-http", url: `${url}/mcp`, allowInsecureHttp: true },
  });
  await client.connect();
  const answer = await client.callTool("ask_assistant", { message: "List the directory docs" });
  expect(JSON.stringify(answer.structuredContent)).toContain("agents.md");
  await client.disconnect();
  child.kill("SIGTERM");
  const { code, stderr, stdout } = await outcome;
  expect(code).toBe(0);
  expect(stdout).toContain(`web UI  ${url}/ui/`);
  const lines = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining(["listening", "request", "closed"]),
  );
}, 60_000);

test("P10: over standard input and output the agents are an MCP server", async () => {
  await using client = new McpClient({
    name: "served",
    transport: { type: "stdio", command: node, args: [main, "serve", "--stdio"] },
    timeoutMs: 30_000,
  });
  await client.connect();
  expect((await client.listTools()).map(({ sourceName }) => sourceName)).toEqual(["ask_assistant"]);
  const steps: string[] = [];
  const answer = await client.callTool(
    "ask_assistant",
    { message: "List the directory docs" },
    { onProgress: ({ message = "" }) => void steps.push(message) },
  );
  expect(JSON.stringify(answer.structuredContent)).toContain("agents.md");
  expect(steps).toContain("calls list_directory");
}, 60_000);

test("a JSON file says which agents are served, with servers of their own and of all", async () => {
  const notes = { command: node, args: [`${"$"}{HOME}/no-such-server.js`] };
  const config = file("agents.json", {
    agents: [
      { name: "front", description: "Greets.", model: "offline", instructions: "Greet." },
      { name: "back desk", model: "offline", mcpServers: { notes } },
    ],
    mcpServers: {},
  });
  const { url, child, outcome } = await serving("--config", config, "--token", "0123456789abcdef");
  expect((await fetch(`${url}/agents`)).status).toBe(401);
  const headers = { authorization: "Bearer 0123456789abcdef" };
  const get = async (path: string) => jsonOf(await fetch(`${url}${path}`, { headers }));
  expect(await get("/agents")).toEqual([
    { name: "front", description: "Greets.", agUi: "/agents/front/ag-ui" },
    { name: "back desk", agUi: "/agents/back%20desk/ag-ui" },
  ]);
  expect((await get("/agents/back%20desk/tools")).servers).toMatchObject([
    { name: "notes", status: "failed" },
  ]);
  child.kill("SIGINT");
  const { code, stderr } = await outcome;
  expect(code).toBe(0);
  expect(stderr).not.toContain("0123456789abcdef");
}, 60_000);

test("a module says which agents are served, and who may come in", async () => {
  const config = file(
    "agents.ts",
    `import { defineAgent } from "${sources}";
import { scriptedModel } from "${testing}";
export const agents = [defineAgent({ name: "typed", model: scriptedModel(["Hello."]) })];
export const server = {
  auth: ({ headers }: Request) => (headers.get("x-user") === "ada" ? { actor: "ada" } : null),
};`,
  );
  const { url, child, outcome } = await serving("--config", config, "--no-ui");
  expect((await fetch(`${url}/ui/`, { headers: { "x-user": "ada" } })).status).toBe(404);
  expect((await fetch(`${url}/agents`)).status).toBe(401);
  const headers = { "x-user": "ada", "content-type": "application/json" };
  const body = JSON.stringify(agUiInput("Hi"));
  const response = await fetch(`${url}/agents/typed/ag-ui`, { method: "POST", headers, body });
  expect(textIn(await eventsIn(response))).toBe("Hello.");
  child.kill("SIGTERM");
  const { code, stdout } = await outcome;
  expect([code, stdout.includes("web UI")]).toEqual([0, false]);
}, 60_000);

test("files of results are kept where the runs are, and are there when the server starts again", async () => {
  const everything = join(
    root,
    "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
  );
  const config = file("agents.json", {
    agents: [{ name: "tester", model: "offline" }],
    mcpServers: { everything: { command: node, args: [everything, "stdio"] } },
  });
  const store = file("runs.db", "");
  const first = await serving("--config", config, "--store", store);
  const response = await fetch(`${first.url}/agents/tester/tools/get-tiny-image/calls`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ arguments: {} }),
  });
  const { id: runId } = await jsonOf(response);
  const files = async () =>
    (await jsonOf(await fetch(`${first.url}/artifacts?runId=${runId}`))).artifacts;
  await expect.poll(async () => (await files()).length).toBe(1);
  const [{ id }] = await files();
  first.child.kill("SIGTERM");
  expect((await first.outcome).code).toBe(0);
  const second = await serving("--config", config, "--store", store);
  const picture = await fetch(`${second.url}/artifacts/${id}`);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
  second.child.kill("SIGTERM");
  expect((await second.outcome).code).toBe(0);
}, 60_000);

const faults: readonly (readonly [string, unknown, RegExp])[] = [
  ["no agents", {}, /agents: It must be a list/],
  ["no name", { agents: [{ model: "offline" }] }, /agents\[0\]\.name: An agent needs a name/],
  [
    "an unknown key",
    { agents: [{ name: "a", instrutions: "x" }] },
    /agents\[0\]\.instrutions: .*"instructions"/,
  ],
  ["no such model", { agents: [{ name: "a", model: "gtp" }] }, /agents\[0\]\.model: /],
  [
    "a server that is none",
    { agents: [{ name: "a", mcpServers: { files: { comand: "x" } } }] },
    /agents\[0\]\.mcpServers\.files.*comand/,
  ],
  ["no JSON", "{ agents: [", /agents\.json:1: This is not JSON/],
];

test.each(faults)(
  "a configuration with %s is told with its place",
  async (_what, content, words) => {
    const config = file("agents.json", content as string);
    const { code, stderr, stdout } = await dragoman("serve", "--config", config);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(words);
  },
);

test("a server that others could reach needs a token, and a port that is taken is told", async () => {
  const open = await dragoman("serve", "--port", "0", "--hostname", "0.0.0.0");
  expect([open.code, open.stderr.match(/lets everybody in/)?.[0]]).toEqual([
    2,
    "lets everybody in",
  ]);
  const { url, child, outcome } = await serving();
  const { port } = new URL(url);
  const taken = await dragoman("serve", "--port", port);
  expect(taken.code).toBe(2);
  expect(taken.stderr).toContain(`cannot listen on 127.0.0.1, port ${port}`);
  child.kill("SIGTERM");
  expect((await outcome).code).toBe(0);
}, 60_000);
