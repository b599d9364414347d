import { expect, test } from "vitest";
import { ada, authenticate, eventsIn, post, textIn, user } from "../../test/ag-ui-client.ts";
import { asks, desk, interruptsIn, refundMe, refunds, resolved } from "../../test/ag-ui-desk.ts";
import { outline } from "../../test/ag-ui-stream.ts";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import type { AgUiInterrupt } from "./ag-ui-event.ts";
import { createAgUiHandler } from "./create-ag-ui-handler.ts";
import type { InputMessage, InputTool } from "./run-agent-input.ts";

const where: InputTool = {
  name: "where",
  description: "Where the user is.",
  parameters: { type: "object", properties: { exact: { type: "boolean" } } },
};

const asksWhere = {
  text: "One moment.",
  calls: [
    { id: "w1", name: "where", arguments: { exact: true } },
    { id: "a1", name: "add", arguments: { a: 1, b: 2 } },
  ],
};

/** What the client has after the first run of {@link asksWhere}, with its own result. */
const answered = (
  result: Partial<Extract<InputMessage, { role: "tool" }>> = {},
): InputMessage[] => [
  user("Where am I?"),
  {
    id: "m1",
    role: "assistant",
    content: "One moment.",
    toolCalls: asksWhere.calls.map(({ id, name, arguments: given }) => ({
      id,
      function: { name, arguments: JSON.stringify(given) },
    })),
  },
  { id: "r2", role: "tool", toolCallId: "a1", content: "3" },
  { id: "r1", role: "tool", toolCallId: "w1", content: "In Bern.", ...result },
];

test.each([false, true])(
  "a call of the client's tool ends the run as pending, and its result goes on with it (sessions: %s)",
  async (kept) => {
    const { run, model } = desk([asksWhere, "Bern."], { kept });
    const tools = [where];
    const first = await run({ messages: [user("Where am I?")], tools });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["refund", "add", "where"]);
    expect(outline(first)).toContain('TOOL_CALL_RESULT a1 "3"');
    expect(first.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "success", pendingToolCallIds: ["w1"] },
    });
    const second = await run({ messages: answered(), tools }, ada, ["w1"]);
    expect(outline(second).slice(0, 2)).toEqual(["RUN_STARTED", 'TOOL_CALL_RESULT w1 "In Bern."']);
    expect(textIn(second)).toBe("Bern.");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("In Bern.");
  },
);

test("a client's tool that failed tells the model so, and one that gives a picture shows it", async () => {
  const failed = desk([asksWhere, "Sorry."]);
  const tools = [where];
  await failed.run({ messages: [user("Where am I?")], tools });
  await failed.run({ messages: answered({ error: "No GPS." }), tools }, ada, ["w1"]);
  expect(failed.model.requests[1]?.messages.at(-1)).toMatchObject({
    content: [{ id: "w1", isError: true, content: [{ text: "No GPS." }] }, { id: "a1" }],
  });
  const shown = desk([asksWhere, "Nice."]);
  await shown.run({ messages: [user("Where am I?")], tools });
  const source = { type: "data", value: "AAAA", mimeType: "image/png" } as const;
  await shown.run({ messages: answered({ content: [{ type: "image", source }] }), tools }, ada, [
    "w1",
  ]);
  expect(shown.model.requests[1]?.messages.at(-1)).toMatchObject({
    content: [{ id: "w1", content: [{ kind: "image", mediaType: "image/png" }] }, { id: "a1" }],
  });
});

test.each([false, true])(
  "a user who goes on without the result is answered, and the call counts as not made (sessions: %s)",
  async (kept) => {
    const { run, model } = desk([asksWhere, "Never mind."], { kept });
    const tools = [where];
    await run({ messages: [user("Where am I?")], tools });
    const messages = [...answered().slice(0, 3), user("Forget it")];
    const events = await run({ messages, tools }, ada, ["w1"]);
    expect(outline(events).slice(0, 2)).toEqual([
      "RUN_STARTED",
      'TOOL_CALL_RESULT w1 "The user went on without it."',
    ]);
    expect(textIn(events)).toBe("Never mind.");
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  },
);

test("a run that waits for results says so where none comes", async () => {
  const { run } = desk([asksWhere, "Bern."]);
  const tools = [where];
  await run({ messages: [user("Where am I?")], tools });
  const events = await run({ messages: answered().slice(0, 3), tools });
  expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "results-missing" });
});

test("a server that has forgotten the run goes on from the client's history, but not from a kept one", async () => {
  const { run, model } = desk(["Bern."]);
  const events = await run({ messages: answered(), tools: [where] });
  expect(textIn(events)).toBe("Bern.");
  expect(model.requests[0]?.messages.at(-1)).toMatchObject({
    role: "tool",
    content: [{ id: "w1" }, { id: "a1" }],
  });
  const keeping = desk(["never"], { kept: true });
  const refused = await keeping.run({ messages: answered(), tools: [where] });
  expect(refused.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "run-not-found" });
  expect(keeping.model.requests).toHaveLength(0);
});

test("approvals come before the client's tools of the same turn", async () => {
  refunds.length = 0;
  const both = { calls: [...asks.calls, { id: "w1", name: "where", arguments: {} }] };
  const { run } = desk([both, "All done."]);
  const tools = [where];
  const [interrupt] = interruptsIn(await run({ ...refundMe, tools }));
  const resume = resolved(interrupt as AgUiInterrupt, { approved: true }); // there is one
  const second = await run({ ...refundMe, tools, resume }, ada, ["c1", "w1"]);
  expect(second.at(-1)).toMatchObject({
    outcome: { type: "success", pendingToolCallIds: ["w1"] },
  });
  const result: InputMessage = { id: "r", role: "tool", toolCallId: "w1", content: "Bern" };
  const third = await run({ messages: [...refundMe.messages, result], tools }, ada, ["w1"]);
  expect(textIn(third)).toBe("All done.");
  expect(refunds).toHaveLength(1);
});

test("the client's tools are not given where that is switched off, nor where tools are", async () => {
  const model = modelOf("Hi.");
  const off = createAgUiHandler(agentOf({ model }), { authenticate, clientTools: false });
  await eventsIn(await post(off, { messages: [user("Hi")], tools: [where] }, ada));
  const none = createAgUiHandler(agentOf({ model, tools: "none" }), { authenticate });
  await eventsIn(await post(none, { messages: [user("Hi")], tools: [where] }, ada));
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([[], ["where"]]);
});
