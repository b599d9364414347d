import { defineAgent, defineSequence } from "dragoman";
import { scriptedModel } from "dragoman/testing";

// Scripted models stand for real ones, so that this runs without a key.
const researcher = defineAgent({
  name: "research",
  instructions: "Find the facts.",
  model: scriptedModel(["Blue has twelve seats, Red has four."]),
});

const writer = defineAgent({
  name: "write",
  instructions: "Write one sentence for the customer. The facts: {research}",
  model: scriptedModel([({ messages }) => `From: ${JSON.stringify(messages[0])}`]),
});

const desk = defineSequence({
  name: "desk",
  members: [
    researcher,
    { agent: writer, input: "Answer this: {input}" }, // else it is asked what the one before answered
  ],
});

const result = await desk.ask("Which rooms are there?");
console.log(result.text);
for (const { name, result: part } of result.participants) {
  console.log(name, part.status, part.usage.inputTokens);
}
