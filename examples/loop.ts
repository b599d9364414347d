import { defineAgent, defineLoop } from "dragoman";
import { scriptedModel } from "dragoman/testing";

const writer = defineAgent({
  name: "writer",
  model: scriptedModel(["A long text.", "A short text."]),
});

const critic = defineAgent({
  name: "critic",
  instructions:
    "Say what to change. When nothing is left to change, write DONE on a line of its own.",
  model: scriptedModel(["Too long.", "A short text.\nDONE"]),
});

const polish = defineLoop({
  name: "polish",
  members: [writer, critic],
  until: "DONE",
  maxRounds: 5,
});

const result = await polish.ask("Describe the blue room.");
console.log(result.text, result.steps);
