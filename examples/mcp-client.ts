import { McpClient } from "dragoman/mcp";

const client = new McpClient({
  name: "docs",
  transport: {
    type: "stdio",
    command: "npx",
    args: ["@modelcontextprotocol/server-filesystem", "docs"],
  },
  timeoutMs: 20_000,
});

await client.connect();
console.log(client.serverInfo?.name, client.protocolVersion);
for (const { sourceName } of await client.listTools()) {
  console.log(sourceName);
}
const result = await client.callTool(
  "list_directory",
  { path: "." },
  { timeoutMs: 5_000, onProgress: ({ progress }) => console.log(progress) },
);
console.log(result);
await client.disconnect();

const maybe = new McpClient({
  name: "maybe",
  transport: { type: "sse", url: "http://127.0.0.1:1/sse", allowInsecureHttp: true },
});
if (!(await maybe.tryConnect())) {
  console.log("not connected:", String(maybe.connectError));
}
