import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { RunLimits } from "./loop-guard.ts";

const sum = { name: "add", arguments: { a: 1, b: 1 } };
const sumAgain = { name: "add", arguments: { b: 1, a: 1 } };
const other = { name: "add", arguments: { a: 2, b: 2 } };

async function loop(turns: readonly (readonly (typeof sum)[])[], limits: RunLimits) {
  const model = modelOf(
    ...(turns.map((calls) => ({ calls })) as [{ calls: readonly (typeof sum)[] }]),
  );
  const result = await agentOf({ model, tools: [add], limits }).ask("Go");
  return { model, result };
}

test("the same call with the same result is pointed out, then ends the tool calls", async () => {
  const { model, result } = await loop([[sum], [sumAgain]], { maxRepeats: 4 });
  expect(result).toMatchObject({ status: "completed", finishReason: "repeated-calls" });
  expect(model.requests).toHaveLength(5);
  expect(JSON.stringify(model.requests[2]?.messages)).not.toMatch(/this very call/);
  expect(JSON.stringify(model.requests[3]?.messages)).toMatch(/made this very call 3 times/);
  expect(model.requests[4]?.toolChoice).toBe("none");
});

test("going round and round over several calls is noticed, too", async () => {
  const { result } = await loop([[sum], [other], [sum], [other], [sum], [other], [sum]], {
    maxRepeats: 3,
  });
  expect(result).toMatchObject({ finishReason: "repeated-calls", steps: 6 });
});

test("the same call with new results is no circle", async () => {
  let count = 0;
  const poll = defineTool({ name: "poll", description: "", execute: () => ++count });
  const again = { calls: [{ name: "poll" }] };
  const model = modelOf(({ messages }) => (messages.length < 19 ? again : "done"));
  const result = await agentOf({ model, tools: [poll] }).ask("Go");
  expect(result).toMatchObject({ finishReason: "stop", text: "done" });
});

test("the limit of tool calls ends the tool calls", async () => {
  const { result } = await loop([[sum, other], [sum, other], [sum]], { maxToolCalls: 3 });
  expect(result).toMatchObject({ status: "completed", finishReason: "max-tool-calls", steps: 3 });
});

test("the limit of tokens ends the run with what there is", async () => {
  const { model, result } = await loop([[sum], [other]], { maxTokens: 4 });
  expect(result).toMatchObject({ status: "completed", finishReason: "max-tokens", steps: 2 });
  expect(model.requests).toHaveLength(2);
});

test("a conversation that outgrows the model is cut where it is old, in the request only", async () => {
  const long = "x".repeat(10_000);
  const read = defineTool({ name: "read", description: "", execute: () => long });
  const model = modelOf({ calls: [{ name: "read" }] }, { calls: [{ name: "read" }] }, "ok");
  const run = agentOf({ model, tools: [read], maxContextTokens: 4_000 }).stream("Go");
  const events = await collect(run);
  const last = JSON.stringify(model.requests[2]?.messages);
  expect(last.length).toBeLessThan(13_000);
  expect(last).toMatch(/9600 characters left out/);
  expect(
    events.find((event) => event.kind === "notice" && event.code === "context-cut"),
  ).toBeDefined();
  expect(JSON.stringify((await run.result).messages).length).toBeGreaterThan(20_000);
});
