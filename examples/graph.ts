import { defineAgent, defineGraph } from "dragoman";
import { scriptedModel } from "dragoman/testing";

const agent = (name: string, says: string) => defineAgent({ name, model: scriptedModel([says]) });

const triage = defineGraph({
  name: "triage",
  nodes: {
    sort: agent("sorter", "urgent"),
    page: agent("pager", "Somebody is called."),
    queue: agent("queuer", "It waits."),
    log: agent("logger", "Logged."),
  },
  edges: [
    { from: "sort", to: "page", when: ({ last }) => last?.result.text === "urgent" },
    { from: "sort", to: "queue", when: ({ last }) => last?.result.text !== "urgent" },
    { from: "page", to: "log" },
    { from: "queue", to: "log" },
  ],
  start: "sort",
});

const result = await triage.ask("The site is down.");
console.log(result.participants.map(({ name }) => name).join(" > "), "=", result.text);
