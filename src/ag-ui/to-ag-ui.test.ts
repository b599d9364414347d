import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { brokenRules } from "../../test/ag-ui-rules.ts";
import { ids, outline, sent } from "../../test/ag-ui-stream.ts";
import { add, agentOf, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { createDragoman } from "../configure.ts";
import { ModelError } from "../model/model-error.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { toAgUi } from "./to-ag-ui.ts";

test("G-A1, G-A2: text, reasoning, parallel tools and steps come in the protocol's order", async () => {
  const model = modelOf(
    {
      reasoning: "Both at once.",
      text: "Adding.",
      calls: [
        { name: "add", arguments: { a: 1, b: 2 } },
        { name: "add", arguments: { a: 3, b: 4 } },
      ],
    },
    "Done.",
  );
  const events = await sent(agentOf({ model, tools: [add] }).stream("Add."));
  expect(outline(events)).toEqual([
    "RUN_STARTED",
    "STEP_STARTED step 1",
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT Both at once.",
    "REASONING_MESSAGE_END",
    "REASONING_END",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT Adding.",
    "TEXT_MESSAGE_END",
    "TOOL_CALL_START call_1",
    'TOOL_CALL_ARGS call_1 {"a":1,"b":2}',
    "TOOL_CALL_END call_1",
    "TOOL_CALL_START call_2",
    'TOOL_CALL_ARGS call_2 {"a":3,"b":4}',
    "TOOL_CALL_END call_2",
    'TOOL_CALL_RESULT call_1 "3"',
    'TOOL_CALL_RESULT call_2 "7"',
    "STEP_FINISHED step 1",
    "STEP_STARTED step 2",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT Done.",
    "TEXT_MESSAGE_END",
    "STEP_FINISHED step 2",
    "RUN_FINISHED",
  ]);
  const [first, second] = events.filter(({ type }) => type === "TEXT_MESSAGE_START");
  const parents = events.flatMap((event) =>
    event.type === "TOOL_CALL_START" ? [event.parentMessageId] : [],
  );
  expect(new Set(parents)).toEqual(new Set([first && "messageId" in first && first.messageId]));
  expect(second).not.toMatchObject({ messageId: parents[0] });
});

test("G-A2: the terminal event has the text, the typed output and the tokens by model", async () => {
  const usage = { inputTokens: 9, outputTokens: 4, reasoningTokens: 3, cachedInputTokens: 5 };
  const model = scriptedModel([{ text: '{"answer":4}', usage }], { id: "openai:gpt-9" });
  const output = z.object({ answer: z.number() });
  const agent = createDragoman({ env: {} }).defineAgent({ name: "counter", model, output });
  const events = await sent(agent.stream("How many?"));
  expect(events.at(-1)).toMatchObject({
    type: "RUN_FINISHED",
    outcome: { type: "success" },
    result: { text: '{"answer":4}', output: { answer: 4 }, finishReason: "stop" },
    usage: [{ provider: "openai", model: "gpt-9", ...usage, totalTokens: 13 }],
  });
});

test("calls of a turn without text share one message, and a call without arguments has an object", async () => {
  const now = defineTool({ name: "now", description: "The hour.", execute: () => "noon" });
  const model = modelOf(
    {
      calls: [
        { name: "now", arguments: "" },
        { name: "now", arguments: "" },
      ],
    },
    "Noon.",
  );
  const events = await sent(agentOf({ model, tools: [now] }).stream("?"));
  const starts = events.filter(({ type }) => type === "TOOL_CALL_START");
  expect(starts).toHaveLength(2);
  expect(new Set(starts.map((one) => "parentMessageId" in one && one.parentMessageId)).size).toBe(
    1,
  );
  expect(outline(events)).toContain("TOOL_CALL_ARGS call_1 {}");
});

test("G-A2: a failed call tells so in its metadata and its text", async () => {
  const model = modelOf({ calls: [{ name: "add", arguments: { a: "one" } }] }, "Sorry.");
  const events = await sent(agentOf({ model, tools: [add] }).stream("Add."));
  expect(events.find(({ type }) => type === "TOOL_CALL_RESULT")).toMatchObject({
    content: expect.stringMatching(/number/),
    metadata: { dragoman: { status: "error", code: "invalid-arguments" } },
  });
});

test("media of a result are parts, and a text for clients before 1.0", async () => {
  const shot = defineTool({
    name: "shot",
    description: "A picture.",
    execute: () =>
      toolSuccess(null, {
        content: [
          { kind: "text", text: "Here:" },
          { kind: "image", mediaType: "image/png", source: { kind: "data", base64: "AAAA" } },
          {
            kind: "file",
            mediaType: "video/mp4",
            source: { kind: "url", url: "https://v.example" },
          },
        ],
      }),
  });
  const agent = agentOf({ model: modelOf({ calls: [{ name: "shot" }] }, "There."), tools: [shot] });
  const now = await sent(agent.stream("?"));
  expect(now.find(({ type }) => type === "TOOL_CALL_RESULT")).toMatchObject({
    content: [
      { type: "text", text: "Here:" },
      { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" } },
      { type: "video", source: { type: "url", value: "https://v.example", mimeType: "video/mp4" } },
    ],
  });
  const old = agentOf({ model: modelOf({ calls: [{ name: "shot" }] }, "There."), tools: [shot] });
  const events: AgUiEvent[] = [];
  for await (const event of toAgUi(old.stream("?"), ids)) {
    events.push(event);
  }
  expect(events.find(({ type }) => type === "TOOL_CALL_RESULT")).toMatchObject({
    content: "Here:\n[image]\n[video]",
  });
});

test("a result that is larger than clients take is cut, and a medium is named", async () => {
  const dump = defineTool({
    name: "dump",
    description: "Everything.",
    execute: () =>
      toolSuccess(null, {
        content: [
          { kind: "text", text: "x".repeat(3_000_000) },
          {
            kind: "image",
            mediaType: "image/png",
            source: { kind: "data", base64: "A".repeat(7_000_000) },
          },
        ],
      }),
  });
  const model = modelOf({ calls: [{ name: "dump" }] }, "Much.");
  const agent = agentOf({ model, tools: [dump], maxResultCharacters: 4_000_000 });
  const events = await sent(agent.stream("?"));
  const result = events.find(({ type }) => type === "TOOL_CALL_RESULT");
  expect(JSON.stringify(result).length).toBeLessThan(1_100_000);
  expect(result).toMatchObject({
    content: expect.stringMatching(/… \[3000000 characters\]\n\[image image\/png, too large/),
  });
});

test("G-A2, G-A4: a retry closes what is open, answers the calls that are void, and says what is superseded", async () => {
  const busy = new ModelError("busy", {
    code: "model-unavailable",
    retryable: true,
  });
  const model = modelOf(
    { text: "Let me", calls: [{ name: "add", arguments: '{"a":' }], error: busy },
    "Better.",
  );
  const events = await sent(
    agentOf({ model, tools: [add], retry: { initialDelayMs: 1 } }).stream("?"),
  );
  const lines = outline(events);
  expect(lines).toContain(
    `TOOL_CALL_RESULT call_1 "Not called: the model's answer broke off, and it was asked again."`,
  );
  const retry = events.find((event) => event.type === "CUSTOM" && event.name === "dragoman.retry");
  const superseded = events.find(({ type }) => type === "TEXT_MESSAGE_START");
  expect(retry).toMatchObject({
    value: {
      attempt: 1,
      code: "model-unavailable",
      supersededMessageId: superseded && "messageId" in superseded && superseded.messageId,
    },
  });
  expect(lines.at(-1)).toBe("RUN_FINISHED");
});

test("G-A2: a cancelled run ends as cancelled, with everything closed and every call answered", async () => {
  const agent = agentOf({
    model: modelOf({ text: "Wait", calls: [{ name: "slow" }] }),
    tools: [neverEnding("slow")],
  });
  const run = agent.stream("?");
  const events: AgUiEvent[] = [];
  for await (const event of toAgUi(run, { ...ids, protocolVersion: "1.0" })) {
    events.push(event);
    if (event.type === "TOOL_CALL_END") {
      run.cancel("enough");
    }
  }
  expect(brokenRules(events, ids)).toEqual([]);
  expect(outline(events)).toContainEqual(expect.stringMatching(/^TOOL_CALL_RESULT call_1 /));
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
  expect(events.at(-1)).not.toHaveProperty("result");
});

test("a client before 1.0 reads a cancelled run as one that has finished", async () => {
  const run = agentOf({ model: modelOf({ hangs: true }) }).stream("?");
  run.cancel();
  const events: AgUiEvent[] = [];
  for await (const event of toAgUi(run, ids)) {
    events.push(event);
  }
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", ...ids });
  expect(events.at(-1)).not.toHaveProperty("outcome");
});

test("G-A2: a failed run ends with its code after everything is closed", async () => {
  const refused = new ModelError("The key was refused.", { code: "model-unauthorized" });
  const run = agentOf({ model: modelOf({ text: "I", error: refused }) }).stream("?");
  const events = await sent(run);
  expect(outline(events).slice(-4)).toEqual([
    "TEXT_MESSAGE_CONTENT I",
    "TEXT_MESSAGE_END",
    "STEP_FINISHED step 1",
    "RUN_ERROR",
  ]);
  expect(events.at(-1)).toMatchObject({
    code: "model-unauthorized",
    message: "The key was refused.",
  });
});

test("G-A2: a run that fails after a while tells what it has used", async () => {
  const busy = new ModelError("Gone.", { code: "model-unauthorized" });
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { error: busy });
  const events = await sent(agentOf({ model, tools: [add] }).stream("?"));
  const usage = [expect.objectContaining({ inputTokens: 1, outputTokens: 1 })];
  expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", usage });
});

test("what an unexpected error says stays inside", async () => {
  const run = agentOf({ model: modelOf({ error: new Error("at /srv/app/secret.ts") }) }).stream(
    "?",
  );
  const events = await sent(run);
  expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "internal-error" });
  expect(JSON.stringify(events)).not.toContain("secret");
});

test("state is sent whole, then by patches, and a state that cannot be read is left out", async () => {
  const states: (object | Error)[] = [
    { plan: "free", "a/b": 1 },
    { plan: "pro" },
    new Error("The store is gone."),
  ];
  const state = async (): Promise<never> => {
    const next = states.shift();
    if (next instanceof Error) {
      throw next;
    }
    return next as never; // any JSON
  };
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "3");
  const events = await sent(agentOf({ model, tools: [add] }).stream("?"), { state });
  expect(events[1]).toEqual({ type: "STATE_SNAPSHOT", snapshot: { plan: "free", "a/b": 1 } });
  expect(events.filter(({ type }) => type === "STATE_DELTA")).toEqual([
    {
      type: "STATE_DELTA",
      delta: [
        { op: "remove", path: "/a~1b" },
        { op: "replace", path: "/plan", value: "pro" },
      ],
    },
  ]);
});

test("a hook's answer that no model streamed is sent as a text", async () => {
  const model = modelOf("never");
  const agent = agentOf({ model, hooks: { beforeAgent: () => "From the cache." } });
  expect(outline(await sent(agent.stream("?")))).toEqual([
    "RUN_STARTED",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT From the cache.",
    "TEXT_MESSAGE_END",
    "RUN_FINISHED",
  ]);
});

test("G-A6: a filter takes out fields and events, but neither the first nor the last", async () => {
  const model = modelOf({ reasoning: "private", text: "public" });
  const events = await sent(agentOf({ model }).stream("?"), {
    filter: (event) =>
      event.type.startsWith("REASONING") || event.type.startsWith("RUN") ? undefined : event,
  });
  expect(JSON.stringify(events)).not.toContain("private");
  expect(events.at(-1)).toEqual({ type: "RUN_FINISHED", ...ids, outcome: { type: "success" } });
  const masked = await sent(agentOf({ model: modelOf("a@b.example") }).stream("?"), {
    filter: (event) =>
      event.type === "TEXT_MESSAGE_CONTENT" ? { ...event, delta: "[address]" } : event,
  });
  expect(outline(masked)).toContain("TEXT_MESSAGE_CONTENT [address]");
});

test("G-A3, G-A5: nothing runs before the first look; whoever stops looking may cancel", async () => {
  const model = modelOf({ text: "Hello", hangs: true });
  const run = agentOf({ model }).stream("?");
  const stream = toAgUi(run, ids);
  for (let turn = 0; turn < 10; turn += 1) {
    await nextTurn(); // whatever was begun would get somewhere
  }
  expect(model.requests).toHaveLength(0);
  expect((await stream.next()).value).toMatchObject({ type: "RUN_STARTED" });
  await stream.return();
  run.cancel("The reader left.");
  expect(await run.result).toMatchObject({ status: "cancelled", reason: "The reader left." });
});

test("G-A3: two streams of one run do not disturb each other", async () => {
  const run = agentOf({ model: modelOf("One text.") }).stream("?");
  const [left, right] = await Promise.all([sent(run), sent(run)]);
  expect(outline(left)).toContain("TEXT_MESSAGE_CONTENT One text.");
  expect(left).toEqual(right);
});

test("G-A2: one subagent that is asked twice at once is two, also for a reader that comes late", async () => {
  const scout = createDragoman({ env: {} }).defineAgent({
    name: "scout",
    model: modelOf(
      ({ messages }) => `I looked at ${JSON.stringify(messages.at(-1)).slice(-9, -4)}.`,
    ),
  });
  const ask = (request: string) => ({ name: "delegate_to_scout", arguments: { request } });
  const model = modelOf({ calls: [ask("north"), ask("south")] }, "Both seen.");
  const run = agentOf({ model, tools: [scout] }).stream("?");
  await run.result;
  const events = await sent(run);
  const saidBy = (id: string): string =>
    events
      .map((event) =>
        event.type === "TEXT_MESSAGE_CONTENT" && event.subagentRunId?.endsWith(id)
          ? event.delta
          : "",
      )
      .join("");
  expect([saidBy("scout#call_1"), saidBy("scout#call_2")]).toEqual([
    "I looked at north.",
    "I looked at south.",
  ]);
  expect(events.filter(({ type }) => type === "SUBAGENT_FINISHED")).toHaveLength(2);
});
