import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineAgent } from "dragoman";
import { mcpToolset, readMcpConfig } from "dragoman/mcp";

const files = mcpToolset({
  name: "files",
  transport: {
    type: "stdio",
    command: "npx",
    args: ["@modelcontextprotocol/server-filesystem", "docs"],
  },
  tools: { list_directory: "list_docs", read_text_file: "read_docs" },
  mapTool: (tool, { definition }) =>
    tool.with({ description: `${definition.description} Only docs can be seen.` }),
  mapResult: (result, { call }) => {
    console.log("mapped the result of", call.definition.sourceName);
    return result;
  },
  onUnavailable: "ignore",
  onError: (error) => console.error(error),
});

const agent = defineAgent({ name: "reader", model: "offline", mcp: [files] });
const answer = await agent.ask("list docs, path: .");
console.log(answer.status, answer.text);

const file = join(tmpdir(), `mcp-${process.pid}.json`);
await writeFile(
  file,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the reader of the file fills it in
  '{ "mcpServers": { "wiki": { "url": "https://${HOST:-wiki.example}/mcp" } } }',
);
const servers = await readMcpConfig(file, { env: process.env });
console.log(servers);
await rm(file);
