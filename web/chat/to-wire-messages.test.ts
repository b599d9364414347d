import { expect, test } from "vitest";
import { createAgUiHandler } from "../../src/ag-ui/create-ag-ui-handler.ts";
import { parseRunAgentInput } from "../../src/ag-ui/run-agent-input.ts";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import type { ChatItem } from "./chat-item.ts";
import { toWireMessages } from "./to-wire-messages.ts";

const items: readonly ChatItem[] = [
  { kind: "user", id: "u1", text: "1 + 2?" },
  { kind: "reasoning", id: "x", text: "A sum.", isOpen: false },
  {
    kind: "tool",
    id: "c1",
    name: "add",
    argumentsText: '{"a":1,"b":2}',
    status: "done",
    content: [{ type: "text", text: "3" }],
    files: [],
  },
  { kind: "text", id: "t2", text: "Of a subagent.", isOpen: false, owner: "sub" },
  { kind: "text", id: "t1", text: "It is three.", isOpen: false },
  { kind: "end", id: "r", status: "completed", usage: [] },
];

test("a history is sent as the server reads it, calls with their results", async () => {
  const model = modelOf("Five.");
  const handler = createAgUiHandler(agentOf({ model }), {
    authenticate: () => ({}),
    sessions: "none",
  });
  const said = { id: "u2", role: "user", content: "And 2 + 3?" };
  const body = JSON.stringify({
    threadId: "t",
    runId: "r2",
    protocolVersion: "1.0",
    messages: [...toWireMessages(items), said],
  });
  expect((await parseRunAgentInput(body)).messages).toHaveLength(5);
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/", { method: "POST", headers, body });
  await (await handler(request)).text();
  expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
  expect(JSON.stringify(model.requests)).not.toContain("subagent");
});
