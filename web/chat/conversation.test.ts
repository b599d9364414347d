import { expect, test } from "vitest";
import type { AgUiEvent } from "../../src/ag-ui/ag-ui-event.ts";
import { toAgUi } from "../../src/ag-ui/to-ag-ui.ts";
import type { AgentDefinition } from "../../src/agent/agent-definition.ts";
import { ModelError } from "../../src/model/model-error.ts";
import { memorySessions } from "../../src/stores/memory-sessions.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { toolSuccess } from "../../src/tool/tool-result.ts";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import { Conversation } from "./conversation.ts";
import { fromMessages } from "./from-messages.ts";

async function all<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const taken: Value[] = [];
  for await (const value of values) {
    taken.push(value);
  }
  return taken;
}

/** The events of one run of an agent, as they would be sent. */
async function eventsOf(
  definition: Omit<AgentDefinition, "name">,
  input = "Hi",
): Promise<readonly AgUiEvent[]> {
  const run = agentOf(definition).stream(input);
  return all(toAgUi(run, { threadId: "t", runId: "r", protocolVersion: "1.0" }));
}

function conversationOf(events: readonly AgUiEvent[]): Conversation {
  const conversation = new Conversation();
  for (const event of events) {
    conversation.take(event);
  }
  return conversation;
}

const summing = () =>
  modelOf(
    {
      reasoning: "A sum.",
      text: "I add.",
      calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }],
    },
    "It is three.",
  );

test("P1: a run becomes what was thought, said and called, in order, and how it ended", async () => {
  const { items, isRunning, run } = conversationOf(
    await eventsOf({ model: summing(), tools: [add] }),
  );
  expect(items).toMatchObject([
    { kind: "reasoning", text: "A sum.", isOpen: false },
    { kind: "text", text: "I add.", isOpen: false },
    {
      kind: "tool",
      name: "add",
      argumentsText: '{"a":1,"b":2}',
      status: "done",
      content: [{ type: "text", text: "3" }],
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
    },
    { kind: "text", text: "It is three." },
    {
      kind: "end",
      id: "r",
      status: "completed",
      usage: [{ model: "scripted", inputTokens: 2, outputTokens: 2 }],
      sourceRunId: expect.stringMatching(/^run_/),
    },
  ]);
  expect([isRunning, run?.runId]).toEqual([false, "r"]);
});

test("what is read a second time, since a connection broke, changes nothing", async () => {
  const events = await eventsOf({ model: summing(), tools: [add] });
  const once = conversationOf(events).items;
  expect(conversationOf([...events.slice(0, 9), ...events]).items).toEqual(once);
});

test("an item that does not change stays the same object, so that it is not drawn again", async () => {
  const events = await eventsOf({ model: summing(), tools: [add] });
  const conversation = conversationOf(events.slice(0, -4));
  const [before] = conversation.snapshot();
  for (const event of events.slice(-4)) {
    conversation.take(event);
  }
  expect(conversation.snapshot()[0]).toBe(before);
});

test("P1: a call that waits for approval says so, and the question stands in the conversation", async () => {
  const definition = { model: summing(), tools: [add], approval: { default: "ask" } } as const;
  const conversation = conversationOf(await eventsOf(definition));
  expect(conversation.items.find(({ kind }) => kind === "tool")).toMatchObject({
    status: "waiting",
  });
  expect(conversation.items.at(-1)).toMatchObject({ kind: "end", status: "waiting" });
  expect(conversation.interrupts).toMatchObject([{ metadata: { dragoman: { tool: "add" } } }]);
  conversation.begin("r2");
  expect([conversation.interrupts, conversation.isRunning]).toEqual([[], true]);
});

test("a tool that fails has its code, and its progress and files are kept with the call", async () => {
  const draw = defineTool({
    name: "draw",
    description: "Draws.",
    execute: (_, { progress }) => {
      progress({ progress: 1, total: 2, message: "Half." });
      return toolSuccess("Drawn.", {
        artifacts: [
          { kind: "inline", mediaType: "text/csv", name: "a.csv", base64: "YQ==", size: 1 },
        ],
      });
    },
  });
  const broken = defineTool({
    name: "broken",
    description: "Fails.",
    execute: () => {
      throw new Error("Nobody is at home.");
    },
  });
  const calls = [
    { id: "c1", name: "draw", arguments: {} },
    { id: "c2", name: "broken", arguments: {} },
  ];
  const { items } = conversationOf(
    await eventsOf({ model: modelOf({ calls }, "Done."), tools: [draw, broken] }),
  );
  expect(items.filter(({ kind }) => kind === "tool")).toMatchObject([
    {
      name: "draw",
      status: "done",
      progress: { progress: 1, total: 2, message: "Half." },
      files: [{ mediaType: "text/csv", name: "a.csv" }],
    },
    {
      name: "broken",
      status: "failed",
      code: "tool-failed",
      content: [{ type: "text", text: "Nobody is at home." }],
    },
  ]);
});

test("what a subagent does is its own, and a model's failure is told with its code", async () => {
  const helper = agentOf({ model: modelOf("Found.") });
  const ask = { calls: [{ id: "c1", name: "delegate_to_tester", arguments: { request: "Look" } }] };
  const failing = { error: new ModelError("Quota.", { code: "model-rate-limited" }) };
  const { items } = conversationOf(
    await eventsOf({ model: modelOf(ask, failing), tools: [helper], retry: { maxAttempts: 1 } }),
  );
  const agent = items.find(({ kind }) => kind === "agent");
  expect(agent).toMatchObject({ name: "tester", status: "done" });
  expect(items.filter(({ owner }) => owner === agent?.id)).toMatchObject([
    { kind: "text", text: "Found." },
  ]);
  expect(items.at(-1)).toMatchObject({
    status: "failed",
    error: { code: "model-rate-limited", message: "Quota." },
  });
});

test("a run that breaks off leaves nothing open", async () => {
  const events = await eventsOf({ model: summing(), tools: [add] });
  const cut = events.findIndex(({ type }) => type === "TOOL_CALL_ARGS");
  const conversation = conversationOf(events.slice(0, cut));
  conversation.break({ code: "connection-lost", message: "Gone." });
  expect(conversation.items.find(({ kind }) => kind === "tool")).toMatchObject({
    status: "not-made",
  });
  expect(conversation.items.at(-1)).toMatchObject({ status: "failed" });
  expect(conversation.isRunning).toBe(false);
});

test("P1: what a session keeps reads like what was seen while it happened", async () => {
  const store = memorySessions();
  const agent = agentOf({ model: summing(), tools: [add] }, { sessions: store, app: "desk" });
  const run = agent.stream("1 + 2?", { session: { id: "t" } });
  const options = { threadId: "t", runId: "r", protocolVersion: "1.0" };
  const seen = conversationOf(await all(toAgUi(run, options))).items;
  const kept = fromMessages(await store.messages({ app: "desk", id: "t" }));
  const gist = (items: typeof seen) =>
    items.map((item) =>
      item.kind === "tool"
        ? [item.name, item.argumentsText, item.status, item.content]
        : [item.kind, "text" in item ? item.text : ""],
    );
  expect(kept[0]).toMatchObject({ kind: "user", text: "1 + 2?" });
  expect(gist(kept.slice(1))).toEqual(gist(seen.slice(0, -1)));
});

test("ids of calls that come again in another run are told apart", () => {
  const turn = (sequence: number, value: string) => [
    {
      sequence,
      time: 0,
      message: {
        role: "assistant",
        content: [{ kind: "tool-call", id: "call_1", name: "add", arguments: {} }],
      } as const,
    },
    {
      sequence: sequence + 1,
      time: 0,
      message: {
        role: "tool",
        content: [
          {
            kind: "tool-result",
            id: "call_1",
            name: "add",
            isError: false,
            content: [{ kind: "text", text: value }],
          },
        ],
      } as const,
    },
  ];
  expect(fromMessages([...turn(1, "one"), ...turn(3, "two")])).toMatchObject([
    { content: [{ text: "one" }] },
    { content: [{ text: "two" }] },
  ]);
});
