import { defineAgent } from "dragoman";
import { mcpToolset } from "dragoman/mcp";

const files = mcpToolset({
  name: "files",
  transport: {
    type: "stdio",
    command: "npx",
    args: ["@modelcontextprotocol/server-filesystem", "docs"],
  },
});
const agent = defineAgent({ name: "librarian", model: "offline", mcp: [files] });

// Connects now; the server is not started anew for each message.
await using chat = await agent.start({ actor: "ada" });
console.log(chat.failedServers, (await chat.availableTools()).length > 5);
for (const message of ["List the folder docs.", "List the folder docs again."]) {
  const { status } = await chat.ask(message);
  console.log(status);
}
