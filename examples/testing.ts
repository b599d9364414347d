import { createDragoman, defineAgent, defineTool } from "dragoman";
import { mcpToolset } from "dragoman/mcp";
import { hostileCases, manualClock, openHostileServer, scriptedModel } from "dragoman/testing";

const model = scriptedModel([
  { calls: [{ name: "count_seats", arguments: { team: "blue" } }] },
  "Blue has twelve seats.",
]);
const countSeats = defineTool({
  name: "count_seats",
  description: "How many people a team has.",
  inputSchema: { type: "object", properties: { team: { type: "string" } } },
  execute: () => 12,
});
const counter = defineAgent({ name: "counter", model, tools: [countSeats] });
console.log((await counter.ask("How many are in team blue?")).text);
console.log(model.requests.length, model.requests[1]?.messages.at(-1)?.role);

const clock = manualClock();
const dragoman = createDragoman({ clock });
const endless = defineTool({
  name: "endless",
  description: "Never ends.",
  timeoutMs: 60_000,
  execute: () => {
    clock.advance(60_000);
    return new Promise(() => {});
  },
});
const patient = dragoman.defineAgent({
  name: "patient",
  model: scriptedModel([{ calls: [{ name: "endless" }] }, "It took too long."]),
  tools: [endless],
});
console.log((await patient.ask("Go.")).text);

await using server = await openHostileServer("output-mismatch", "http");
const victim = defineAgent({
  name: "victim",
  model: scriptedModel([{ calls: [{ name: "attack" }] }, "I am still here."]),
  mcp: [mcpToolset({ name: "stranger", transport: server.transport })],
});
for await (const event of victim.stream("Go.")) {
  if (event.kind === "tool-end" && event.result.kind === "error") {
    console.log(event.result.error.message); // days: must be "integer", got "three"
  }
}

for (const [kind, { does, over }] of Object.entries(hostileCases)) {
  console.log(`${kind} (${over.join(", ")}): a server that ${does}`);
}
