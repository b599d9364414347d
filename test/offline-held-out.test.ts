import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunEvent } from "../src/agent/run-event.ts";
import type { Json, JsonObject } from "../src/base/json.ts";
import { McpClient } from "../src/mcp/client/mcp-client.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import { offlineModel } from "../src/models/offline/offline-model.ts";
import type { StdioTransport } from "../src/tool/mcp-server-config.ts";
import { agentOf, collect } from "./agent-fixture.ts";
import { type HeldOutCase, heldOutCases, heldOutFiles, heldOutGraph } from "./offline-held-out.ts";

let root = "";

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "dragoman-held-out-")));
  for (const [path, text] of Object.entries(heldOutFiles)) {
    mkdirSync(dirname(join(root, "files", path)), { recursive: true });
    writeFileSync(join(root, "files", path), text);
  }
  const lines = [
    ...heldOutGraph.entities.map((entity) => ({ type: "entity", ...entity })),
    ...heldOutGraph.relations.map((relation) => ({ type: "relation", ...relation })),
  ];
  writeFileSync(join(root, "graph.json"), lines.map((line) => JSON.stringify(line)).join("\n"));
});

/** One process for all the messages to a server. */
const clients = new Map<string, McpClient>();

function clientOf(server: HeldOutCase["server"]): McpClient {
  const known = clients.get(server);
  const client = known ?? new McpClient({ name: server, transport: transportOf(server) });
  clients.set(server, client);
  return client;
}

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.disconnect()));
  rmSync(root, { recursive: true });
});

function transportOf(server: HeldOutCase["server"]): StdioTransport {
  const path = fileURLToPath(
    import.meta.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`),
  );
  const files = join(root, "files");
  const args = { filesystem: [files], memory: [], everything: ["stdio"] }[server];
  return {
    type: "stdio",
    command: process.execPath,
    args: [path, ...args],
    cwd: files,
    env: { MEMORY_FILE_PATH: join(root, "graph.json") },
  };
}

type Call = Extract<RunEvent, { kind: "tool-start" }>;

const pathKeys = ["path", "source", "destination"];

/** Whether each given argument is there; paths count by the file that they mean. */
function fits(given: JsonObject, expected: Readonly<Record<string, unknown>>): boolean {
  const meaning = (key: string, value: Json | unknown): unknown =>
    pathKeys.includes(key) ? resolve(root, "files", String(value)) : value;
  return Object.entries(expected).every(([key, value]) =>
    isDeepStrictEqual(meaning(key, given[key]), meaning(key, value)),
  );
}

/** What is wrong with the calls that were made; empty where nothing is. */
function faults(made: readonly Call[], answer: string, wanted: HeldOutCase): readonly string[] {
  let position = 0;
  const missing = wanted.calls.filter(({ tool, arguments: expected }) => {
    const found = made.findIndex(
      (call, index) =>
        index >= position && [tool].flat().includes(call.name) && fits(call.arguments, expected),
    );
    position = found + 1;
    return found < 0;
  });
  return [
    ...missing.map((call) => `no ${JSON.stringify(call)}`),
    ...(wanted.calls.length === 0 && made.length > 0 ? ["called something"] : []),
    ...(wanted.answer !== undefined && !answer.includes(wanted.answer)
      ? [`the answer lacks ${JSON.stringify(wanted.answer)}`]
      : []),
  ];
}

test("the offline model does what at least 20 of 24 held-out messages ask for", async () => {
  const failures: string[] = [];
  for (const wanted of heldOutCases) {
    const server = mcpToolset({ client: clientOf(wanted.server) });
    const run = agentOf({ model: offlineModel(), mcp: [server] }).stream(wanted.message);
    const made = (await collect(run)).filter((event) => event.kind === "tool-start");
    const { text, status } = await run.result;
    const wrong = status === "completed" ? faults(made, text, wanted) : [status];
    if (wrong.length > 0) {
      const calls = made.map(({ name, arguments: given }) => `${name}${JSON.stringify(given)}`);
      failures.push([wanted.message, ...wrong, ...calls, text.slice(0, 300)].join("\n    "));
    }
  }
  const report = `${failures.length} failed:\n  ${failures.join("\n  ")}`;
  expect(heldOutCases.length - failures.length, report).toBeGreaterThanOrEqual(20);
}, 60_000);
