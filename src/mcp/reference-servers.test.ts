import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  referenceServer,
  runningChildren,
  startEverything,
} from "../../test/fixtures/mcp/servers.ts";
import { bindingFor, callTool, keepNotices } from "../../test/fixtures/mcp/tool-call.ts";
import type { McpTransport } from "../tool/mcp-server-config.ts";
import type { ToolProgress } from "../tool/tool.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { OpenToolset } from "../tool/toolset.ts";
import { mcpToolset } from "./toolset/mcp-toolset.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-servers-"));
});
afterAll(() => rm(folder, { recursive: true }));

const open: OpenToolset[] = [];
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((toolset) => toolset.close()));
  await Promise.all(ends.splice(0).map((end) => end()));
  expect(runningChildren()).toEqual([]);
});

interface Opened {
  readonly names: readonly string[];
  readonly notices: readonly string[];
  readonly serverInfo: OpenToolset["serverInfo"];
  call(
    name: string,
    input?: object,
    settings?: { signal?: AbortSignal; progress?: (progress: ToolProgress) => void },
  ): Promise<ToolResult>;
}

async function openServer(transport: McpTransport): Promise<Opened> {
  const observer = keepNotices();
  const opened = await mcpToolset({ name: "ref", transport }).open(bindingFor(), observer);
  open.push(opened);
  return {
    names: opened.tools.map(({ name }) => name),
    notices: observer.notices,
    serverInfo: opened.serverInfo,
    call: async (name, input = {}, settings = {}) => {
      const tool = opened.tools.find((candidate) => candidate.name === name);
      return (await callTool(tool, input, settings)) as ToolResult; // there is no mapResult
    },
  };
}

async function everything(kind: "stdio" | "streamable-http" | "sse"): Promise<McpTransport> {
  if (kind === "stdio") {
    return referenceServer("everything", { args: ["stdio"], env: { VISIBLE: "1" } });
  }
  const { url, process } = await startEverything(kind);
  ends.push(() => {
    process.kill("SIGKILL");
    return once(process, "exit");
  });
  return { type: kind, url, allowInsecureHttp: true };
}

test.each(["stdio", "streamable-http", "sse"] as const)(
  "R1, L-C7, G-T18: the everything server works over %s",
  async (kind) => {
    const server = await openServer(await everything(kind));
    expect(server.serverInfo).toEqual({ name: "mcp-servers/everything", version: "2.0.0" });
    expect(server.names).toContain("get-sum");
    expect(server.names).not.toContain("simulate-research-query");
    expect(server.notices).toEqual([expect.stringContaining("mcp-tool-needs-task")]);

    expect(await server.call("echo", { message: "北京 🌍" })).toMatchObject({
      value: "Echo: 北京 🌍",
    });
    expect(await server.call("get-sum", { a: 2, b: 3 })).toMatchObject({
      value: expect.stringContaining("5"),
    });
    expect(await server.call("get-sum", { a: 2 })).toMatchObject({
      kind: "error",
      error: { code: "remote-tool", message: expect.stringContaining("expected number") },
    });
    expect(await server.call("get-structured-content", { location: "Chicago" })).toMatchObject({
      value: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 },
      content: [{ kind: "text" }],
    });
    expect((await server.call("get-tiny-image")).content).toEqual([
      expect.objectContaining({ kind: "text" }),
      expect.objectContaining({ kind: "image", mediaType: "image/png" }),
      expect.objectContaining({ kind: "text" }),
    ]);
  },
);

test.each(["stdio", "streamable-http", "sse"] as const)(
  "progress and abort work with the everything server over %s",
  async (kind) => {
    const server = await openServer(await everything(kind));
    const name = "trigger-long-running-operation";
    const reports: ToolProgress[] = [];
    const progress = (report: ToolProgress): void => void reports.push(report);
    await server.call(name, { duration: 0.3, steps: 3 }, { progress });
    expect(reports[0]).toMatchObject({ progress: 1, total: 3 });

    const controller = new AbortController();
    const reason = new Error("stop");
    const stop = (): void => controller.abort(reason);
    const long = server.call(
      name,
      { duration: 100, steps: 1000 },
      { signal: controller.signal, progress: stop },
    );
    await expect(long).rejects.toBe(reason);
    expect(await server.call("echo", { message: "still there" })).toMatchObject({
      kind: "success",
    });
  },
);

test("a child gets the safe environment and its own, and nothing of ours besides", async () => {
  const server = await openServer(await everything("stdio"));
  const { value } = (await server.call("get-env")) as { readonly value: string };
  const env = JSON.parse(value) as Record<string, string>;
  expect(env["VISIBLE"]).toBe("1");
  const needed = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
  const network = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|(http|https|all|no)_proxy)$/i;
  const others = Object.keys(env).filter((name) => !needed.includes(name) && !network.test(name));
  expect(others).toEqual(["VISIBLE"]);
});

test("a server that timers keep alive is closed", async () => {
  const server = await openServer(await everything("stdio"));
  await server.call("toggle-simulated-logging");
  await server.call("toggle-subscriber-updates");
});

test("L-C2: a command gets its arguments: the filesystem server keeps to its folder, and says a text once", async () => {
  await writeFile(join(folder, "a.txt"), "Words of a file.");
  await writeFile(join(folder, "a.wav"), Buffer.from("RIFF0000WAVE"));
  const server = await openServer(referenceServer("filesystem", { args: [folder] }));
  const path = join(folder, "a.txt");
  expect(await server.call("read_text_file", { path })).toEqual({
    kind: "success",
    value: { content: "Words of a file." },
    content: [{ kind: "text", text: "Words of a file." }],
  });
  expect(await server.call("read_text_file", { path: "/etc/hostname" })).toMatchObject({
    kind: "error",
    error: { message: expect.stringContaining("outside allowed directories") },
  });
  const media = await server.call("read_media_file", { path: join(folder, "a.wav") });
  expect(media.content[0]).toMatchObject({ kind: "audio", mediaType: "audio/wav" });
  const base64 = Buffer.from("RIFF0000WAVE").toString("base64");
  expect(JSON.stringify(media.content.slice(1))).not.toContain(base64);
});

test("the memory server keeps what it is given", async () => {
  const env = { MEMORY_FILE_PATH: join(folder, "memory.json") };
  const server = await openServer(referenceServer("memory", { env }));
  const entity = { name: "Ann", entityType: "person", observations: ["likes tea"] };
  await server.call("create_entities", { entities: [entity] });
  expect(await server.call("search_nodes", { query: "tea" })).toMatchObject({
    value: { entities: [entity], relations: [] },
  });
});

test("the sequential-thinking server takes thoughts in turn, however it writes to its standard error", async () => {
  const server = await openServer(referenceServer("sequential-thinking"));
  expect(server.names).toEqual(["sequentialthinking"]);
  const thought = { thought: "Look.", thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true };
  expect(await server.call("sequentialthinking", thought)).toMatchObject({
    kind: "success",
    value: { thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true, thoughtHistoryLength: 1 },
  });
  const last = { ...thought, thoughtNumber: 2, nextThoughtNeeded: "false" };
  expect(await server.call("sequentialthinking", last)).toMatchObject({
    value: { nextThoughtNeeded: false, thoughtHistoryLength: 2 },
  });
  expect(await server.call("sequentialthinking", { ...thought, thought: 7 })).toMatchObject({
    kind: "error",
    error: { code: "remote-tool", message: expect.stringContaining("expected string") },
  });
});
