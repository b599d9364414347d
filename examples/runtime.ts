import { createPlanner, defineAgent, defineTool, type Hooks } from "dragoman";
import { scriptedModel } from "dragoman/testing";
import * as z from "zod";

const lookUp = defineTool({
  name: "look_up_seats",
  description: "How many people a team has.",
  inputSchema: z.object({ team: z.string() }),
  execute: ({ team }) => ({ team, seats: 12 }),
});

// A scripted model stands for a real one, so that this example runs without a key.
const model = scriptedModel(['{"plan":"pro","reason":"Twelve is more than five."}']);

const advisor = defineAgent({
  name: "advisor",
  model,
  output: z.object({ plan: z.enum(["free", "pro"]), reason: z.string() }),
});
const advice = (await advisor.ask("Which plan suits a team of twelve?")).orThrow();
console.log(advice.output.plan); // typed: "free" | "pro"

const cache = new Map<string, unknown>();
const hooks: Hooks = {
  beforeTool: ({ tool, arguments: given }) => {
    const key = `${tool.name} ${JSON.stringify(given)}`;
    return cache.has(key) ? { result: cache.get(key) } : undefined;
  },
  afterTool: (result, { call }) => {
    if (result.kind === "success") {
      cache.set(`${call.tool.name} ${JSON.stringify(call.arguments)}`, result.value);
    }
  },
};

const plan = {
  thought: "Look first.",
  steps: [{ tool: "look_up_seats", arguments: { team: "blue" } }],
};
const counter = defineAgent({
  name: "counter",
  model: scriptedModel([JSON.stringify(plan), "Blue has twelve.", JSON.stringify(plan)]),
  mode: "plan",
  tools: [lookUp],
  hooks,
});
console.log((await counter.ask("How many are in team blue?")).text, cache.size);
console.log((await createPlanner({ agent: counter }).plan("How many are in team blue?")).steps);
