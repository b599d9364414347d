// Driver for an MCP client benchmark harness: `connect` gives one connection, `connectMany` many at once.
import { McpClient } from "dragoman/mcp";

export const label = "dragoman";
// biome-ignore format: the harness reads this line, and looks for single quotes
export const dir = 'dragoman';

export async function connect(target) {
  const client = clientFor(target, target.timeoutMs);
  await client.connect();
  return {
    async listTools() {
      const tools = await client.listTools();
      return tools.map(({ sourceName, description, inputSchema }) => ({
        type: "function",
        function: { name: sourceName, description, parameters: inputSchema },
      })).length;
    },
    async call(text) {
      const result = await client.callTool("echo", { text });
      return result.content[0].text;
    },
    close: () => client.disconnect(),
  };
}

export async function connectMany(urls, { timeoutMs }) {
  const clients = urls.map((url) => clientFor({ kind: "http", url }, timeoutMs));
  const counts = await Promise.all(
    clients.map(async (client) =>
      (await client.tryConnect()) ? (await client.listTools()).length : undefined,
    ),
  );
  return {
    tools: counts.reduce((sum, count) => sum + (count ?? 0), 0),
    failed: counts.filter((count) => count === undefined).length,
    close: () => Promise.all(clients.map((client) => client.disconnect())),
  };
}

function clientFor({ kind, url, command, args }, timeoutMs) {
  const transport =
    kind === "http"
      ? { type: "http", url, allowInsecureHttp: true }
      : { type: "stdio", command, args };
  return new McpClient({
    name: "bench",
    transport,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}
