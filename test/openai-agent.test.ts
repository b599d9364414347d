import { expect, test } from "vitest";
import { defineAgent, defineTool } from "../src/index.ts";
import { openAiCompatible } from "../src/models/openai/openai-compatible.ts";
import type { ServerReply } from "../src/testing/model-server.ts";
import { startOpenAiServer } from "../src/testing/openai-server.ts";

/** What the tool was called with. */
async function run(replies: readonly ServerReply[]) {
  await using server = await startOpenAiServer({
    respond: (_request, index) => replies[index] ?? "Done",
    bytesPerWrite: 5,
  });
  const given: unknown[] = [];
  const read = defineTool({
    name: "read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    execute: async (input) => {
      given.push(input);
      return "contents";
    },
  });
  const agent = defineAgent({
    name: "reader",
    model: openAiCompatible({ id: "test:m", model: "m", baseUrl: server.baseUrl }),
    tools: [read],
    mcp: "none",
  });
  const { status, text } = await agent.ask("Read them.");
  return { status, text, given, bodies: server.requests.map(({ body }) => body) };
}

const stream = (...deltas: readonly object[]): ServerReply => ({
  kind: "stream",
  chunks: deltas
    .map((delta) => JSON.stringify({ choices: [{ delta }] }))
    .map((data) => `data: ${data}\n\n`),
});

const calls = [
  { index: 0, id: "a", function: { name: "read", arguments: '{"path":"/a"}' } },
  { index: 0, id: "b", function: { name: "read", arguments: '{"path":"/b"}' } },
];

test("an agent runs parallel calls that a server labels alike, and answers each", async () => {
  const outcome = await run([stream({ tool_calls: calls })]);
  expect(outcome).toMatchObject({
    status: "completed",
    text: "Done",
    given: [{ path: "/a" }, { path: "/b" }],
  });
});

test("an agent gives a provider its signature back on the same call", async () => {
  const extra_content = { google: { thought_signature: "s1" } };
  const [first, second] = calls;
  const { bodies } = await run([stream({ tool_calls: [{ ...first, extra_content }, second] })]);
  expect(bodies[1]?.["messages"]).toMatchObject([
    { role: "user" },
    { tool_calls: [{ id: "a", extra_content }, { id: "b" }] },
    { role: "tool", tool_call_id: "a" },
    { role: "tool", tool_call_id: "b" },
  ]);
});

test("an agent survives broken arguments and ids that a server repeats from turn to turn", async () => {
  const broken = { index: 0, id: "a", function: { name: "read", arguments: '{"path": "/a' } };
  const outcome = await run([
    stream({ tool_calls: [broken] }),
    stream({ tool_calls: [calls[0]] }),
    stream({ tool_calls: [calls[0]] }),
  ]);
  expect(outcome).toMatchObject({ status: "completed", given: [{ path: "/a" }, { path: "/a" }] });
  expect(outcome.bodies).toHaveLength(4);
});
