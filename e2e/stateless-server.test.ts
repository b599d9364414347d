import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McpClient } from "../src/mcp/client/mcp-client.ts";
import { freePort } from "./free-port.ts";

const program = fileURLToPath(import.meta.resolve("mcp-proxy/dist/bin/mcp-proxy.mjs"));
const memory = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"),
);

let folder: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-proxy-"));
  const port = await freePort();
  url = `http://127.0.0.1:${port}/mcp`;
  const command = ["--", process.execPath, memory];
  server = spawn(
    process.execPath,
    [program, "--host", "127.0.0.1", "--port", String(port), ...command],
    {
      env: { ...process.env, MEMORY_FILE_PATH: join(folder, "memory.json") },
      stdio: "ignore",
      detached: true,
    },
  );
  while (!(await answers(url))) {
    await sleep(100); // it does not say when it listens
  }
});

afterAll(async () => {
  process.kill(-(server.pid ?? 0), "SIGKILL"); // the proxy and what it started
  await once(server, "exit");
  await rm(folder, { recursive: true });
});

test.each([
  ["auto", "2026-07-28"],
  ["2026-07-28", "2026-07-28"],
  ["legacy", "2025-11-25"],
] as const)(
  "G-T18: the memory server is used through mcp-proxy with protocol %s",
  async (protocol, spoken) => {
    const transport = { type: "http", url, allowInsecureHttp: true } as const;
    await using client = new McpClient({ name: "memory", transport, protocol });
    await client.connect();
    expect(client.protocolVersion).toBe(spoken);
    expect((await client.listTools()).map(({ sourceName }) => sourceName)).toContain(
      "search_nodes",
    );
    const entity = { name: `Ann ${protocol}`, entityType: "person", observations: ["likes tea"] };
    await client.callTool("create_entities", { entities: [entity] });
    expect(await client.callTool("search_nodes", { query: `Ann ${protocol}` })).toMatchObject({
      structuredContent: { entities: [entity] },
    });
  },
);

const answers = (address: string): Promise<boolean> =>
  fetch(address, { method: "POST" }).then(
    () => true,
    () => false,
  );
