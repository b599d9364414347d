// A server may ask the user for something while it works.
import { McpClient } from "dragoman/mcp";

const client = new McpClient(
  {
    name: "everything",
    transport: {
      type: "stdio",
      command: "npx",
      args: ["@modelcontextprotocol/server-everything", "stdio"],
    },
  },
  {
    onElicitation: (asked, { server }) => {
      console.log(`${server} asks: ${asked.message}`);
      // Show a page's whole address and ask before it is opened; nothing here opens it.
      return asked.mode === "form"
        ? { action: "accept", content: { name: "Ann" } }
        : { action: "decline" };
    },
    onToolsChanged: () => console.log("it publishes other tools now"),
    onLog: ({ level, data }) => console.log(level, data),
  },
);

await client.connect();
console.log(await client.callTool("trigger-elicitation-request"));
await client.disconnect();
