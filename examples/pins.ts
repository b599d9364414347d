import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineAgent, type McpTransport } from "dragoman";
import { McpClient, mcpToolset, pinTools } from "dragoman/mcp";

const transport: McpTransport = {
  type: "stdio",
  command: "npx",
  args: ["@modelcontextprotocol/server-filesystem", "docs"],
};

// What `dragoman mcp pin` does, with the two tools that somebody has looked at.
const client = new McpClient({ name: "files", transport });
await client.connect();
const known = ["list_directory", "read_text_file"];
const tools = (await client.listTools()).filter(({ sourceName }) => known.includes(sourceName));
await client.disconnect();
const lockFile = join(tmpdir(), `dragoman-${process.pid}.lock.json`);
const lock = { version: 1, servers: { files: pinTools(tools) } };
await writeFile(lockFile, JSON.stringify(lock, undefined, 2));

const files = mcpToolset({
  name: "files",
  transport,
  pins: { mode: "enforce", lock: lockFile },
});

const agent = defineAgent({ name: "reader", model: "offline", mcp: [files] });
const run = agent.stream("list_directory, path: docs");
for await (const event of run) {
  if (event.kind === "server-connect") {
    console.log("has", event.tools.join(", "));
  }
  if (event.kind === "notice" && event.code.startsWith("mcp-pin")) {
    console.log(event.message);
  }
}
await rm(lockFile);
