import { defineAgent, defineNetwork } from "dragoman";
import { mcpToolset } from "dragoman/mcp";

const files = mcpToolset({
  name: "files",
  transport: {
    type: "stdio",
    command: "npx",
    args: ["@modelcontextprotocol/server-filesystem", "docs"],
  },
});

// Both inherit; only the task that says so, too, gets the network's servers.
const reader = defineAgent({ name: "reader", model: "offline", mcp: "inherit" });
const talker = defineAgent({ name: "talker", model: "offline", mcp: "inherit" });

const office = defineNetwork({
  name: "office",
  config: { mcp: [files] },
  tasks: [
    { name: "look", agent: reader, mcp: "inherit" },
    { name: "tell", agent: talker, input: "Sum up: {look}" },
  ],
  routing: ({ turns }) => ["look", "tell"][turns] ?? null, // or "in-order", or { model }
});

const run = office.stream("Which files are in docs?");
for await (const event of run) {
  if (event.kind === "server-connect" || event.kind === "tool-end") {
    console.log(event.agentPath.join(" > "), event.kind);
  }
}
const result = await run.result;
console.log(
  result.status,
  result.participants.map(({ name }) => name),
);
