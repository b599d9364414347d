import { defineAgent, defineTool } from "dragoman";
import { mcpToolset } from "dragoman/mcp";
import * as z from "zod";

const refundPolicy = defineTool({
  name: "refund_policy",
  description: "Look up how many days a refund takes on a plan.",
  inputSchema: z.object({ plan: z.enum(["free", "pro"]) }),
  execute: ({ plan }) => ({ plan, days: plan === "pro" ? 3 : 14 }),
});

const docs = mcpToolset({
  name: "docs",
  description: "The files in the docs folder",
  transport: {
    type: "stdio",
    command: "npx",
    args: ["@modelcontextprotocol/server-filesystem", "docs"],
  },
});

const support = defineAgent({
  name: "support",
  instructions: "Answer from the docs and from the refund policy.",
  model: "offline", // or "openai:gpt-5", "gemini:gemini-3.5-flash", "ollama:qwen3", or a Model
  tools: [refundPolicy],
  mcp: [docs],
});

const result = await support.ask("Look up the refund policy of the pro plan.");
console.log(result.text);
