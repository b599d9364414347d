import { expect, test } from "vitest";
import * as z from "zod";
import { add, agentOf, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { createDragoman } from "../configure.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { RunOptions } from "./run-options.ts";

test("a plain answer completes the run", async () => {
  const result = await agentOf({ model: modelOf("Hello there.") }).ask("Hi");
  expect(result).toMatchObject({
    status: "completed",
    text: "Hello there.",
    finishReason: "stop",
    model: "scripted",
    steps: 1,
    usage: { inputTokens: 1, outputTokens: 1 },
    failedServers: [],
  });
  expect(result.orThrow()).toBe(result);
});

test("instructions come first, as a text or as a function of who runs", async () => {
  const model = modelOf("ok");
  await agentOf({ model, instructions: "Be brief." }).ask("Hi");
  const greet = agentOf({ model, instructions: ({ run }) => `You help ${run.actor}.` });
  await greet.ask("Hi", { actor: "ada" });
  expect(model.requests.map(({ messages }) => messages[0])).toEqual([
    { role: "system", text: "Be brief." },
    { role: "system", text: "You help ada." },
  ]);
});

test("parallel calls run side by side and their results come back in the order of the calls", async () => {
  const started: string[] = [];
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const wait = defineTool({
    name: "wait",
    description: "Waits for the other.",
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => {
      started.push(id);
      if (started.length === 2) {
        release();
      }
      await gate; // opens only when both have started
      return id;
    },
  });
  const model = modelOf(
    {
      calls: [
        { name: "wait", arguments: { id: "x" } },
        { name: "wait", arguments: { id: "y" } },
      ],
    },
    "Done.",
  );
  const result = await agentOf({ model, tools: [wait] }).ask("Go");
  expect(result.status).toBe("completed");
  expect(model.requests[1]?.messages.at(-1)).toEqual({
    role: "tool",
    content: [
      {
        kind: "tool-result",
        id: "call_1",
        name: "wait",
        isError: false,
        content: [{ kind: "text", text: "x" }],
      },
      {
        kind: "tool-result",
        id: "call_2",
        name: "wait",
        isError: false,
        content: [{ kind: "text", text: "y" }],
      },
    ],
  });
});

test("the model is shown each tool's name, description and JSON Schema", async () => {
  const model = modelOf("ok");
  await agentOf({ model, tools: [add] }).ask("Hi");
  expect(model.requests[0]?.tools).toMatchObject([
    { name: "add", description: "Adds two numbers.", inputSchema: { required: ["a", "b"] } },
  ]);
});

/** What a model that errs is told, and that the run goes on. */
const mistakes: Readonly<
  Record<string, { call: { name: string; arguments?: string }; told: RegExp }>
> = {
  "an unknown tool": { call: { name: "ad" }, told: /no tool "ad".*"add"/ },
  "malformed JSON": {
    call: { name: "add", arguments: '{"a": 1' },
    told: /not a JSON object.*\{"a": 1/,
  },
  "an array as arguments": { call: { name: "add", arguments: "[1,2]" }, told: /not a JSON object/ },
  "arguments of a wrong type": {
    call: { name: "add", arguments: '{"a":1,"b":"x"}' },
    told: /b: .*number/,
  },
  "missing arguments": {
    call: { name: "add", arguments: "" },
    told: /not valid.*\n- a: .*\n- b: /,
  },
};

test.each(Object.entries(mistakes))(
  "%s is answered with words to act on",
  async (_, { call, told }) => {
    const model = modelOf({ calls: [call] }, "I see.");
    const result = await agentOf({ model, tools: [add] }).ask("Go");
    expect(result).toMatchObject({ status: "completed", text: "I see." });
    const [, request] = model.requests;
    const answer = request?.messages.at(-1);
    expect(answer).toMatchObject({ content: [{ isError: true }] });
    expect(JSON.stringify(answer).replaceAll("\\n", "\n").replaceAll('\\"', '"')).toMatch(told);
    const asked = request?.messages.at(-2);
    expect(asked).toMatchObject({ content: [{ kind: "tool-call", name: call.name }] });
  },
);

test("malformed arguments stand in the history as an empty object, never as broken text", async () => {
  const model = modelOf({ calls: [{ name: "add", arguments: '{"a": ' }], reason: "length" }, "ok");
  await agentOf({ model, tools: [add] }).ask("Go");
  const [asked, answered] = model.requests[1]?.messages.slice(-2) ?? [];
  expect(asked).toMatchObject({ content: [{ arguments: {}, malformedArguments: '{"a":' }] });
  expect(JSON.stringify(answered)).toMatch(/cut off by the output limit/);
});

test("what a tool throws is read by the model, and its siblings' results are kept", async () => {
  const fails = defineTool({
    name: "fails",
    description: "Fails.",
    execute: () => {
      throw new Error("disk full");
    },
  });
  const model = modelOf(
    { calls: [{ name: "fails" }, { name: "add", arguments: { a: 1, b: 2 } }] },
    "ok",
  );
  const result = await agentOf({ model, tools: [add, fails] }).ask("Go");
  expect(result.status).toBe("completed");
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    content: [
      { name: "fails", isError: true, content: [{ text: "disk full" }] },
      { name: "add", isError: false, content: [{ text: "3" }] },
    ],
  });
});

test("a tool's own time is limited, and the run goes on", async () => {
  const clock = manualClock();
  const slow = neverEnding("slow").with({ timeoutMs: 100 });
  const run = agentOf(
    { model: modelOf({ calls: [{ name: "slow" }] }, "ok"), tools: [slow] },
    { clock },
  ).stream("Go");
  for await (const event of run) {
    if (event.kind === "tool-start") {
      clock.advance(100);
    }
  }
  const result = await run.result;
  expect(result.status).toBe("completed");
  expect(JSON.stringify(result.messages)).toMatch(/did not end within 100 ms/);
  expect(clock.pending).toBe(0);
});

test("a programmer's mistake in a tool fails the run", async () => {
  const wrong = defineTool({
    name: "wrong",
    description: "",
    execute: () => {
      throw new ConfigurationError("No table.", { code: "invalid-configuration" });
    },
  });
  const result = await agentOf({
    model: modelOf({ calls: [{ name: "wrong" }] }),
    tools: [wrong],
  }).ask("Go");
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-configuration" } });
});

test("ids of calls that a provider repeats are told apart", async () => {
  const call = { name: "add", arguments: { a: 1, b: 1 }, id: "same" };
  const model = modelOf({ calls: [call] }, { calls: [call] }, "ok");
  const result = await agentOf({ model, tools: [add] }).ask("Go");
  const ids = result.messages.flatMap((message) =>
    message.role === "tool" ? message.content.map(({ id }) => id) : [],
  );
  expect(ids).toEqual(["same", "same_2"]);
});

test("at the step limit the model is asked once more, without tools", async () => {
  const again = { calls: [{ name: "add", arguments: { a: 1, b: 1 } }] };
  const model = modelOf(again, again, "It is 2.");
  const result = await agentOf({ model, tools: [add], limits: { maxSteps: 2 } }).ask("Go");
  expect(result).toMatchObject({
    status: "completed",
    finishReason: "max-steps",
    text: "It is 2.",
    steps: 3,
  });
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([
    undefined,
    undefined,
    "none",
  ]);
});

test("a call made in spite of the limit is answered, not executed", async () => {
  let executed = 0;
  const count = defineTool({ name: "count", description: "", execute: () => ++executed });
  const model = modelOf({ calls: [{ name: "count" }] });
  const result = await agentOf({ model, tools: [count], limits: { maxSteps: 1 } }).ask("Go");
  expect(result.status).toBe("completed");
  expect(executed).toBe(1);
  expect(result.messages.at(-1)).toMatchObject({ role: "tool", content: [{ isError: true }] });
});

test("a run's own model and step limit win over the agent's", async () => {
  const other = scriptedModel(["other"], { id: "other" });
  const result = await agentOf({ model: modelOf("agent's") }).ask("Hi", { model: other });
  expect(result).toMatchObject({ model: "other", text: "other" });
});

test("an unknown model fails the run and says what there is", async () => {
  const result = await agentOf({ model: "gpt5" }).ask("Hi");
  expect(result).toMatchObject({ status: "failed", error: { code: "unknown-model" } });
  expect(result.status === "failed" && result.error.message).toMatch(/no model "gpt5".*"offline"/);
});

test.each([
  [{}, /needs a name/],
  [{ name: "" }, /needs a name/],
  [
    { name: "a", instruction: "typo" },
    /unknown property "instruction". Did you mean "instructions"/,
  ],
  [{ name: "a", limits: { maxSteps: 0 } }, /maxSteps of agent "a" is 0/],
  [{ name: "a", tools: "all" }, /tools of agent "a" must be "none", "inherit" or a list/],
  [{ name: "a", mcp: [3] }, /Entry 0 in the mcp of agent "a" is no server: give mcpToolset/],
  [
    { name: "a", mcp: ["docs"] },
    /Entry 0 in the mcp of agent "a" is the text "docs", and servers are not chosen by name: give mcpToolset/,
  ],
  [{ name: "a", mcp: Promise.resolve([]) }, /mcp of agent "a" must be .* is a promise: await it/],
  [{ name: "a", tools: [Promise.resolve(add)] }, /Entry 0 in the tools .* is a promise: await it/],
  [
    { name: "a", tools: [{ name: "x", execute: () => 1 }] },
    /Entry 0 .* is no tool yet.*defineTool/,
  ],
  [
    { name: "a", tools: [{ name: "x", transport: {} }] },
    /Entry 0 .* is a server: write it into mcp/,
  ],
  [{ name: "a", tools: ["x", {}] }, /Entry 1 in the tools of agent "a" is neither a tool/],
  [{ name: "a", hooks: { beforeTools: () => {} } }, /unknown property "beforeTools".*"beforeTool"/],
  [{ name: "a", hooks: "x" }, /hooks of agent "a" must be an object/],
  [{ name: "a", hooks: { beforeTool: true } }, /hook beforeTool of agent "a" is not a function/],
  [{ name: "a", retry: { attempts: 3 } }, /retry of agent "a" has an unknown property "attempts"/],
  [{ name: "a", prompts: { reakt: "" } }, /prompts of agent "a" has an unknown property "reakt"/],
  [{ name: "a", fallbackModels: "x" }, /fallbackModels of agent "a" must be a list/],
  [{ name: "a", maxReplans: -1 }, /maxReplans of agent "a" is -1/],
])("a definition with a mistake throws at once: %o", (definition, message) => {
  const define = () => createDragoman().defineAgent(definition as AgentDefinition);
  expect(define).toThrow(ConfigurationError);
  expect(define).toThrow(message);
});

test.each([
  [{ timeoutMs: 0 }, /timeoutMs of the run is 0/],
  [{ timeoutMs: "500" }, /timeoutMs of the run is the text "500"/],
  [{ timeout: 5 }, /unknown property "timeout".*"timeoutMs"/],
  [{ signal: {} }, /must be an AbortSignal/],
  [{ tools: [{ name: "x" }] }, /Entry 0 in the tools of the run is neither a tool/],
  [{ mcp: [add] }, /Entry 0 in the mcp of the run is a tool: write it into tools/],
  [{ timeoutMs: Number.NaN }, /timeoutMs of the run is NaN/],
  [{ limits: { maxSteps: 1.5 } }, /maxSteps of the run is 1.5/],
])("options with a mistake throw at once: %o", async (options, message) => {
  const agent = agentOf({ model: modelOf("x") });
  expect(() => agent.stream("Hi", options as RunOptions)).toThrow(message);
  await expect(agent.ask("Hi", options as RunOptions)).rejects.toThrow(ConfigurationError);
});

test.each([undefined, 5, { text: "Hi" }])("asking %o is a mistake", async (input) => {
  const agent = agentOf({ model: modelOf("x") });
  await expect(agent.ask(input as never)).rejects.toThrow(/neither a text nor a list of parts/);
});

test("arguments that are nested without end are answered, not followed", async () => {
  const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
  const model = modelOf({ calls: [{ name: "add", arguments: deep }] }, "ok");
  const result = await agentOf({ model, tools: [add] }).ask("Go");
  expect(result).toMatchObject({ status: "completed", text: "ok" });
  expect(result.messages.at(-2)).toMatchObject({ content: [{ isError: true }] });
});
