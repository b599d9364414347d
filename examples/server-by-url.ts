import { defineAgent, defineTool } from "dragoman";
import { mcpToolset } from "dragoman/mcp";
import { createServer } from "dragoman/server";

// Stands for an MCP server that runs already.
const places = defineTool({
  name: "find_place",
  description: "Find the place of a meeting.",
  inputSchema: { type: "object", properties: { meeting: { type: "string" } } },
  execute: ({ meeting }) => `The meeting ${meeting} is in the blue room.`,
});
const clerk = defineAgent({ name: "clerk", model: "offline", tools: [places] });
const server = createServer({
  agents: [clerk],
  mcp: { name: "office", tools: [places] },
  log: "none",
});
const { url } = await server.listen({ port: 0 });

const office = mcpToolset({
  name: "office",
  description: "Meetings and their places",
  transport: {
    type: "streamable-http",
    url: `${url}/mcp`, // such as http://localhost:4141/mcp
    allowInsecureHttp: true, // what is not https: must be allowed, also on this machine
  },
});

const agent = defineAgent({ name: "assistant", model: "offline", mcp: [office] });
const result = await agent.ask('Find the place of the meeting "standup".');
console.log(result.status, result.text);

await server.close();
