import { defineAgent } from "dragoman";
import { scriptedModel } from "dragoman/testing";

const research = defineAgent({
  name: "research",
  description: "Finds things out.",
  model: scriptedModel(["Blue has twelve seats."]),
});

const assistant = defineAgent({
  name: "assistant",
  model: scriptedModel([
    { calls: [{ name: "delegate_to_research", arguments: { request: "Seats of Blue?" } }] },
    "Twelve people fit in.",
  ]),
  tools: [research], // becomes the tool delegate_to_research
  limits: { maxDelegations: 5, maxDepth: 3 },
});

const run = assistant.stream("How many people fit into Blue?");
for await (const event of run) {
  if (event.kind === "agent-end") {
    console.log(event.agentPath.join(" > "), "said:", event.text);
  }
}
console.log((await run.result).text);
