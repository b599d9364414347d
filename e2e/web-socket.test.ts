import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McpClient } from "../src/mcp/client/mcp-client.ts";
import { freePort } from "./free-port.ts";

const gateway = fileURLToPath(import.meta.resolve("supergateway/dist/index.js"));
const memory = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"),
);

let folder: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-gateway-"));
  const port = await freePort();
  url = `ws://127.0.0.1:${port}/message`;
  const command = `${process.execPath} ${memory}`;
  const args = [gateway, "--stdio", command, "--outputTransport", "ws", "--port", String(port)];
  const env = { ...process.env, MEMORY_FILE_PATH: join(folder, "memory.json") };
  server = spawn(process.execPath, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      if (/listening|WebSocket endpoint/i.test(chunk.toString())) {
        resolve();
      }
    };
    server.stdout?.on("data", onData);
    server.stderr?.on("data", onData);
    server.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
});

afterAll(async () => {
  process.kill(-(server.pid ?? 0), "SIGKILL"); // the gateway and what it started
  await once(server, "exit");
  await rm(folder, { recursive: true });
});

test("R1: the memory server is used over a WebSocket, by supergateway", async () => {
  const transport = { type: "websocket", url, allowInsecureHttp: true } as const;
  await using client = new McpClient({ name: "memory", transport });
  await client.connect();
  expect((await client.listTools()).map(({ sourceName }) => sourceName)).toContain("search_nodes");
  const entity = { name: "Ann", entityType: "person", observations: ["likes tea"] };
  await client.callTool("create_entities", { entities: [entity] });
  expect(await client.callTool("search_nodes", { query: "tea" })).toMatchObject({
    structuredContent: { entities: [entity] },
  });
});
