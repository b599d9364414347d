import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createDragoman, defineTool } from "dragoman";
import { type AgUiEvent, createAgUiHandler, toAgUi, toNodeListener } from "dragoman/ag-ui";
import { memorySessions } from "dragoman/stores";
import { scriptedModel } from "dragoman/testing";

const refund = defineTool({
  name: "refund",
  description: "Refund an order.",
  inputSchema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  execute: (_input, { binding }) => `Refunded, says ${binding.run.actor}.`,
});

// A scripted model stands for a real one, so that this example runs without a key.
const call = { name: "refund", arguments: { order: "7" } };
const model = scriptedModel(["Good day.", { text: "I ask first.", calls: [call] }, "It is done."]);

const dragoman = createDragoman({ sessions: memorySessions() });
const desk = dragoman.defineAgent({
  name: "desk",
  model,
  tools: [refund],
  approval: { tools: { refund: "ask" } },
});

const userOf = async (token: string | null): Promise<{ readonly id: string } | undefined> =>
  token === "Bearer token-of-ann" ? { id: "ann" } : undefined;

const handler = createAgUiHandler(desk, {
  async authenticate(request) {
    const user = await userOf(request.headers.get("authorization"));
    return user && { actor: user.id, context: { user } };
  },
  onDisconnect: "continue",
});
const server = createServer(toNodeListener(handler)).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP

/** What an AG-UI client does; yours is `HttpAgent` of `@ag-ui/client`. */
async function runAgent(input: object, token = "token-of-ann"): Promise<readonly AgUiEvent[]> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = JSON.stringify({ threadId: "thread-1", protocolVersion: "1.0", ...input });
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  if (!response.ok) {
    console.log(response.status, text);
    return [];
  }
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as AgUiEvent);
}

const message = { id: "1", role: "user", content: "Refund order 7." };

await runAgent({ runId: "run-0", messages: [message] }, "token-of-nobody");
await runAgent({ runId: "run-1", messages: [{ ...message, content: "Hello" }] });

const asked = await runAgent({ runId: "run-2", messages: [message] });
const end = asked.at(-1);
const interrupts =
  end?.type === "RUN_FINISHED" && end.outcome?.type === "interrupt" ? end.outcome.interrupts : [];
console.log(interrupts.map(({ message, toolCallId }) => `${message} (${toolCallId})`));

const resume = interrupts.map(({ id }) => ({
  interruptId: id,
  status: "resolved",
  payload: { approved: true },
}));
const answered = await runAgent({ runId: "run-3", messages: [message], resume });
for (const event of answered) {
  if (event.type === "TOOL_CALL_RESULT") {
    console.log(event.toolCallId, event.content);
  }
}
console.log(answered.map(({ type }) => type).join(" "));

server.close();
await handler.close();

const run = desk.stream("And now?", { actor: "ann" });
const options = {
  threadId: "thread-1",
  runId: "run-4",
  protocolVersion: "1.0",
  filter: (event: AgUiEvent) => (event.type.startsWith("REASONING") ? undefined : event),
};
for await (const event of toAgUi(run, options)) {
  console.log(event.type);
}
