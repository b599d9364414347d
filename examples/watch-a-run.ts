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
const agent = defineAgent({ name: "reader", model: "offline", mcp: [files] });

const run = agent.stream("Which files are in the docs folder?", { timeoutMs: 30_000 });
for await (const event of run) {
  switch (event.kind) {
    case "tool-start":
      console.log("calls", event.name, event.arguments);
      break;
    case "text-delta":
      process.stdout.write(event.text);
      break;
    case "run-end":
      console.log(`\n${event.status}`);
  }
}

const result = await run.result; // never rejects because the run went wrong
if (result.status === "completed") {
  console.log(result.usage, result.failedServers);
}
