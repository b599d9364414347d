import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SandboxSettings } from "../src/base/sandbox-settings.ts";
import { McpClient } from "../src/mcp/client/mcp-client.ts";
import { readMcpConfig } from "../src/mcp/config/read-mcp-config.ts";
import { failureOf } from "../test/failure-of.ts";
import { isAlive, referenceServer, runningChildren } from "../test/fixtures/mcp/servers.ts";
import { startHttp } from "../test/loopback.ts";
import { runProgram } from "./run-program.ts";
import { nap, node, nodeFolder, processesWith } from "./sandbox-fixture.ts";
import { describeWithBubblewrap } from "./with-bubblewrap.ts";

const packages = fileURLToPath(new URL("../node_modules", import.meta.url));
const main = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));

let folder = "";
let clients: McpClient[] = [];
beforeEach(async () => {
  clients = [];
  folder = await realpath(await mkdtemp(join(tmpdir(), "dragoman-servers-")));
  await mkdir(join(folder, "shown"));
  await writeFile(join(folder, "shown/file"), "shown");
  await writeFile(join(folder, "secret"), "secret");
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.disconnect()));
  expect(runningChildren()).toEqual([]);
  await rm(folder, { recursive: true });
});

/** A server of the MCP project's in a sandbox, which shows it itself and Node. */
async function inSandbox(
  name: "filesystem" | "everything",
  args: readonly string[],
  sandbox: SandboxSettings = {},
): Promise<McpClient> {
  const transport = {
    ...referenceServer(name, { args, env: { GIVEN: "given" } }),
    sandbox: { ...sandbox, folders: [packages, nodeFolder, ...(sandbox.folders ?? [])] },
  };
  const client = new McpClient({ name, transport, timeoutMs: 30_000 });
  clients.push(client);
  await client.connect();
  return client;
}

const textOf = (value: unknown): string => JSON.stringify(value);

async function call(
  client: McpClient,
  tool: string,
  input: Record<string, string>,
): Promise<string> {
  return textOf(await client.callTool(tool, input).catch((error: unknown) => String(error)));
}

describeWithBubblewrap("an MCP server in a sandbox", () => {
  test("P9: works, with the folders that it is shown", async () => {
    const shown = join(folder, "shown");
    const client = await inSandbox("filesystem", [shown], {
      folders: [{ path: shown, writable: true }],
    });
    expect((await client.listTools()).length).toBeGreaterThan(10);
    expect(await call(client, "read_text_file", { path: join(shown, "file") })).toContain("shown");
    await call(client, "write_file", { path: join(shown, "new"), content: "written" });
    expect(await readFile(join(shown, "new"), "utf8")).toBe("written");
  });

  test("P9: reads nothing else, even where it allows itself everything, and writes only where it may", async () => {
    const shown = join(folder, "shown");
    const client = await inSandbox("filesystem", ["/"], { folders: [shown] });
    for (const path of [homedir(), folder, "/root", "/var", process.cwd()]) {
      expect(await call(client, "list_directory", { path })).toContain(
        path === folder ? "shown" : "ENOENT",
      );
    }
    expect(await call(client, "list_directory", { path: folder })).not.toContain("secret");
    expect(await call(client, "read_text_file", { path: join(folder, "secret") })).toContain(
      "ENOENT",
    );
    expect(await call(client, "read_text_file", { path: "/etc/shadow" })).toContain("ENOENT");
    expect(await call(client, "read_text_file", { path: join(shown, "file") })).toContain("shown");
    const written = await call(client, "write_file", { path: join(shown, "new"), content: "x" });
    expect(written).toContain("EROFS");
  });

  test("P9: reaches no network unless it inherits ours, and has no variable but those that it is given", async () => {
    process.env["SOME_API_KEY"] = "hunter2";
    let requests = 0;
    await using server = await startHttp((_incoming, response) => {
      requests += 1;
      response.end("reached");
    });
    const input = { name: "x.gz", data: `${server.origin}/`, outputType: "resource" };
    try {
      const alone = await inSandbox("everything", ["stdio"]);
      expect(await call(alone, "gzip-file-as-resource", input)).toContain("fetch failed");
      expect(requests).toBe(0);
      const environment = await call(alone, "get-env", {});
      expect(environment).toContain("given");
      expect(environment).not.toMatch(/hunter2/);
      expect(environment).not.toContain(`"HOME": "${homedir()}`);
      const inNetwork = await inSandbox("everything", ["stdio"], { network: "inherit" });
      await call(inNetwork, "gzip-file-as-resource", input);
      expect(requests).toBe(1);
    } finally {
      delete process.env["SOME_API_KEY"];
    }
  });

  test("P9: ends with its connection, with all that it has started", async () => {
    const transport = {
      type: "stdio" as const,
      command: "/bin/sh",
      args: ["-c", `trap '' TERM; setsid ${nap(7)} & ${nap(7)}`],
      sandbox: {},
    };
    const client = new McpClient({ name: "deaf", transport, timeoutMs: 2_000 });
    const connecting = failureOf(client.connect());
    await expect.poll(() => processesWith(nap(7)).length, { timeout: 15_000 }).toBeGreaterThan(2);
    const pids = processesWith(nap(7));
    expect(await connecting).toMatchObject({ code: "mcp-timeout" });
    await client.disconnect();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("P9: is not started without a sandbox where it cannot be made, and it is said what is missing", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = folder;
    try {
      expect(await failureOf(inSandbox("filesystem", [folder]))).toMatchObject({
        name: "ConfigurationError",
        code: "sandbox-unavailable",
        message: expect.stringMatching(/server "filesystem".*apt-get install bubblewrap/),
      });
    } finally {
      process.env["PATH"] = path;
    }
    const hidden = { type: "stdio" as const, command: node, sandbox: {} };
    expect(
      await failureOf(new McpClient({ name: "hidden", transport: hidden }).connect()),
    ).toMatchObject({
      code: "invalid-configuration",
      message: expect.stringContaining('Add its folder, with all that it needs, to "folders"'),
    });
  });

  test("P9: is declared in a file of desktop clients, and called by the command line", async () => {
    const file = join(folder, "mcp.json");
    const { command, args } = referenceServer("filesystem", { args: ["/"] });
    const sandbox = { folders: [packages, nodeFolder, join(folder, "shown")] };
    await writeFile(file, JSON.stringify({ mcpServers: { files: { command, args, sandbox } } }));
    const [config] = await readMcpConfig(file, { env: {} });
    expect(config?.transport).toMatchObject({ type: "stdio", sandbox });
    const list = async (path: string): Promise<string> =>
      runProgram(
        folder,
        node,
        main,
        "mcp",
        "call",
        "files",
        "list_directory",
        textOf({ path }),
        "--mcp",
        file,
      );
    expect(await list(join(folder, "shown"))).toContain("file");
    const failed = await failureOf(list(homedir()));
    expect(String(failed)).toContain("ENOENT");
  });
});
