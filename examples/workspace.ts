import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, defineAgent, type Tool } from "dragoman";
import { mcpToolset } from "dragoman/mcp";
import { scriptedModel } from "dragoman/testing";
import {
  createSandbox,
  createWorkspace,
  unsandboxedRunner,
  WorkspaceError,
  workspaceTools,
} from "dragoman/tools";

const folder = mkdtempSync(join(tmpdir(), "project-"));
writeFileSync(join(folder, "sum.sh"), "echo $((17 + 24))\n");

const workspace = createWorkspace({
  roots: {
    project: { path: folder, writable: true },
    docs: "docs", // may only be read
  },
});

async function coder(tools: readonly Tool[]): Promise<string> {
  const agent = defineAgent({
    name: "coder",
    model: scriptedModel([
      {
        calls: [
          {
            name: "edit_file",
            arguments: { path: "project/sum.sh", oldText: "24", newText: "25" },
          },
        ],
      },
      { calls: [{ name: "run_command", arguments: { command: "sh sum.sh" } }] },
      ({ messages }) => `It says ${JSON.stringify(messages.at(-1)).match(/\d\d(?=\D*$)/)}.`,
    ]),
    tools,
    approval: { annotations: { destructive: "allow" } }, // "ask": somebody sees each change first
  });
  return (await agent.ask("Mend the sum.")).text;
}

async function inSandbox(): Promise<readonly Tool[]> {
  const sandbox = await createSandbox({
    env: { CI: "true" }, // and nothing else of yours
    timeoutMs: 120_000,
    limits: { memoryBytes: 1024 ** 3, tmpBytes: 64 * 1024 ** 2 },
  });
  return workspaceTools(workspace, { sandbox });
}

try {
  console.log("in a sandbox:", await coder(await inSandbox()));
} catch (error) {
  if (!ConfigurationError.is(error) || error.code !== "sandbox-unavailable") {
    throw error;
  }
  console.log("no sandbox here:", error.message);
}

// In a container that holds nothing else: programs do whatever you may do.
const open = workspaceTools(workspace, { sandbox: unsandboxedRunner() });
console.log("tools:", open.map(({ name }) => name).join(", "));

await workspace.write("project/notes/today.md", "Mended the sum.\n");
const { entries } = await workspace.list("project", { depth: 2 });
console.log(entries.map(({ path }) => path).join(", "));
try {
  await workspace.read("project/../../etc/passwd");
} catch (error) {
  console.log(WorkspaceError.is(error) && error.fault);
}

const files = mcpToolset({
  name: "files",
  transport: {
    type: "stdio",
    command: "node",
    args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", folder],
    sandbox: {
      folders: [
        "node_modules", // where the server is
        { path: folder, writable: true },
      ],
    },
  },
});
console.log("a server:", files.name);
rmSync(folder, { recursive: true });
