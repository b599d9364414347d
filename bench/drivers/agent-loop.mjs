// Driver for an agent-loop benchmark harness: `setup` gives an agent with two tools over an
// OpenAI-compatible server; the harness counts its tool calls.
import { defineAgent, defineTool } from "dragoman";
import { openAiCompatible } from "dragoman/models";
import * as z from "zod";

export const label = "dragoman";
// biome-ignore format: the harness looks for these very quotes
export const dir = 'dragoman';

export async function setup({ baseURL, counter }) {
  const tools = [
    defineTool({
      name: "add",
      description: "Adds two numbers",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => {
        counter.n += 1;
        return String(a + b);
      },
    }),
    defineTool({
      name: "lookup",
      description: "Looks up a key",
      inputSchema: z.object({
        key: z.string(),
        options: z.object({
          limit: z.number().int(),
          exact: z.boolean().optional(),
          tags: z.array(z.string()).optional(),
        }),
      }),
      execute: ({ key }) => {
        counter.n += 1;
        return `value-of-${key}`;
      },
    }),
  ];
  const agents = new Map();
  const agentFor = (model, stream) => {
    const key = `${model} ${stream}`;
    const known = agents.get(key);
    if (known !== undefined) {
      return known;
    }
    const options = { baseUrl: baseURL, model, apiKey: "x", stream };
    const agent = defineAgent({
      name: "bench",
      instructions: "You are helpful.",
      model: openAiCompatible(options),
      tools,
      limits: { maxSteps: 64, maxRepeats: 1_000 },
    });
    agents.set(key, agent);
    return agent;
  };
  return {
    async run(model, prompt) {
      return (await agentFor(model, false).ask(prompt)).orThrow().text;
    },
    async stream(model, prompt) {
      const run = agentFor(model, true).stream(prompt);
      let chunks = 0;
      let text = "";
      for await (const event of run) {
        if (event.kind === "text-delta") {
          chunks += 1;
          text += event.text;
        }
      }
      (await run.result).orThrow();
      return { text, chunks };
    },
  };
}
