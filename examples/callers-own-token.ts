import { createServer } from "node:http";
import { defineAgent } from "dragoman";
import { mcpToolset } from "dragoman/mcp";

// Stands for a remote MCP server: it refuses everybody, and says whose token it saw.
const server = createServer((request, response) => {
  console.log("the server saw", request.headers.authorization);
  response.writeHead(401).end();
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };

const tokens: Readonly<Record<string, string>> = { ada: "token-of-ada", bob: "token-of-bob" };

const helpCenter = mcpToolset({
  name: "help-center",
  // Called for each run, before its session opens: two callers never share a connection.
  transport: ({ run }) => ({
    type: "streamable-http",
    url: `http://127.0.0.1:${port}/mcp`,
    allowInsecureHttp: true, // only because this example's server has no certificate
    headers: { authorization: `Bearer ${tokens[run.actor ?? ""]}` },
  }),
  timeoutMs: 5_000,
});

const agent = defineAgent({ name: "support", model: "offline", mcp: [helpCenter] });
for (const actor of ["ada", "bob"]) {
  const result = await agent.ask("How long do refunds take?", { actor });
  console.log(actor, result.status, result.failedServers);
}
server.close();
