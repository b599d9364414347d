import { configure, defineAgent, type TextAdapter } from "dragoman";

const mine: TextAdapter = {
  modelName: "mine",
  available: () => true,
  generate: async (prompt, { json, signal }) => complete(prompt, json, signal),
};

const helper = defineAgent({ name: "helper", model: mine });

console.log((await helper.ask("What is new?")).text);

// One factory for all agents that name their model by an id.
configure({ models: ({ model }) => ({ ...mine, modelName: model }) });
console.log((await defineAgent({ name: "another", model: "big" }).ask("And now?")).model);

// Stands for a provider that Dragoman does not know.
async function complete(prompt: string, json: boolean, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  return json ? "{}" : `You asked: ${prompt}`;
}
