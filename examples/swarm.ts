import { defineAgent, defineSwarm } from "dragoman";
import { scriptedModel } from "dragoman/testing";

const front = defineAgent({
  name: "front",
  instructions: "Help, or hand over to whoever can.",
  model: scriptedModel([
    {
      text: "One moment.",
      calls: [{ name: "hand_over_to_billing", arguments: { message: "Charged twice in May." } }],
    },
  ]),
});

const billing = defineAgent({
  name: "billing",
  description: "Knows invoices and may refund.",
  model: scriptedModel(["The second charge is refunded."]),
});

const desk = defineSwarm({
  name: "desk",
  members: [front, billing],
  handoffs: { front: ["billing"], billing: ["front"] },
  maxHandoffs: 4,
});

const run = desk.stream("I was charged twice!");
for await (const event of run) {
  if (event.kind === "agent-start") {
    console.log("now:", event.agentPath.join(" > "));
  }
}
console.log((await run.result).text);
