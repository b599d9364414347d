import { expect, test } from "vitest";
import * as z from "zod";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { createDragoman } from "../configure.ts";
import { ModelError, type ModelErrorOptions } from "../model/model-error.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { retryDelayOf } from "./model-policy.ts";

const busy = (more: Partial<ModelErrorOptions> = {}): ModelError =>
  new ModelError("Busy.", { code: "model-unavailable", retryable: true, ...more });

/** Runs an agent whose clock jumps over each wait before a retry. */
async function watch(definition: Omit<AgentDefinition, "name">, random = 1) {
  const clock = manualClock();
  const run = agentOf(definition, { clock, random: () => random }).stream("Hi");
  const waits: number[] = [];
  const events = [];
  for await (const event of run) {
    events.push(event);
    if (event.kind === "model-retry") {
      waits.push(event.delayMs);
      clock.advance(event.delayMs);
    }
  }
  expect(clock.pending).toBe(0);
  return { result: await run.result, events, waits };
}

test("a model that fails for a while is tried again, with growing waits, and told as events", async () => {
  const model = modelOf({ error: busy() }, { text: "Half", error: busy() }, "Whole.");
  const { result, events, waits } = await watch({ model });
  expect(result).toMatchObject({ status: "completed", text: "Whole.", steps: 1 });
  expect(waits).toEqual([500, 1_000]);
  expect(events.find(({ kind }) => kind === "model-retry")).toMatchObject({
    step: 1,
    model: "scripted",
    attempt: 1,
    error: { code: "model-unavailable" },
  });
  const texts = events.flatMap((event) => (event.kind === "text-start" ? [event.id] : []));
  expect(new Set(texts).size).toBe(2);
});

test.each<readonly [ModelErrorOptions, number, number, number | undefined]>([
  [{ code: "model-unavailable", retryable: true }, 1, 0, 250],
  [{ code: "model-unavailable", retryable: true }, 1, 1, 500],
  [{ code: "model-unavailable", retryable: true }, 2, 1, 1_000],
  [{ code: "model-unavailable", retryable: true }, 3, 1, undefined],
  [{ code: "model-refused", retryable: false }, 1, 1, undefined],
  [{ code: "model-rate-limited", retryable: true, retryAfterMs: 7_000 }, 1, 1, 7_000],
  [{ code: "model-rate-limited", retryable: true, retryAfterMs: 10 }, 1, 1, 500],
  [{ code: "model-rate-limited", retryable: true, retryAfterMs: 61_000 }, 1, 1, undefined],
])("after %o, try %d, random %d the wait is %s ms", (options, attempt, random, delayMs) => {
  expect(retryDelayOf(new ModelError("x", options), attempt, {}, random)).toBe(delayMs);
});

test("waits never grow beyond their maximum", () => {
  const policy = { maxAttempts: 100, maxDelayMs: 3_000 };
  expect(retryDelayOf(busy(), 50, policy, 1)).toBe(3_000);
});

test("what cannot get better is not tried again", async () => {
  const model = modelOf({ error: new ModelError("No.", { code: "model-refused" }) }, "late");
  const { result } = await watch({ model });
  expect(result).toMatchObject({ status: "failed", error: { code: "model-refused" } });
  expect(model.requests).toHaveLength(1);
});

test("retries can be switched off", async () => {
  const model = modelOf({ error: busy() }, "late");
  const { result } = await watch({ model, retry: { maxAttempts: 1 } });
  expect(result).toMatchObject({ status: "failed", error: { code: "model-unavailable" } });
});

test("a cancelled run does not wait for its retry", async () => {
  const clock = manualClock();
  const run = agentOf({ model: modelOf({ error: busy() }) }, { clock }).stream("Hi");
  for await (const { kind } of run) {
    if (kind === "model-retry") {
      run.cancel("enough");
    }
  }
  expect(await run.result).toMatchObject({ status: "cancelled", reason: "enough" });
  expect(clock.pending).toBe(0);
});

test("where a model fails for good the next one takes over, for the rest of the run", async () => {
  const first = scriptedModel([{ error: new ModelError("Gone.", { code: "model-refused" }) }], {
    id: "first",
  });
  const second = scriptedModel([{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "3"], {
    id: "second",
  });
  const { result, events } = await watch({ model: first, fallbackModels: [second], tools: [add] });
  expect(result).toMatchObject({ status: "completed", text: "3" });
  expect(result.usageByModel).toEqual({ second: { inputTokens: 2, outputTokens: 2 } });
  expect(first.requests).toHaveLength(1);
  expect(events.find(({ kind }) => kind === "notice")).toMatchObject({
    code: "model-fallback",
    message: "Model first failed (Gone.); second takes over.",
  });
});

test("an adapter's own mistake is neither tried again nor handed over", async () => {
  const model = modelOf({ error: new TypeError("bug") }, "late");
  const { result } = await watch({ model, fallbackModels: [modelOf("x")] });
  expect(result).toMatchObject({ status: "failed", error: { code: "internal-error" } });
});

test("usage is added up over the run", async () => {
  const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4 };
  const more = { inputTokens: 20, outputTokens: 1, reasoningTokens: 3 };
  const model = modelOf(
    { calls: [{ name: "add", arguments: { a: 1, b: 2 } }], usage },
    { text: "3", usage: more },
  );
  const result = await agentOf({ model, tools: [add] }).ask("Hi");
  const sum = { inputTokens: 30, outputTokens: 6, cachedInputTokens: 4, reasoningTokens: 3 };
  expect(result.usage).toEqual(sum);
  expect(result.usageByModel).toEqual({ scripted: sum });
});

test("hooks may change a request, answer in the model's place, and replace what it said", async () => {
  const model = modelOf("from the model");
  const seen: string[] = [];
  const hooks = [
    {
      beforeModel: (request: { temperature?: number }, scope: { model: { id: string } }) => {
        seen.push(scope.model.id);
        return { request: { ...request, temperature: 0 } as never };
      },
    },
    {
      afterModel: () =>
        ({ role: "assistant", content: [{ kind: "text", text: "hooked" }] }) as const,
    },
  ];
  expect(await agentOf({ model, hooks }).ask("Hi")).toMatchObject({ text: "hooked" });
  expect(model.requests[0]?.temperature).toBe(0);
  expect(seen).toEqual(["scripted"]);
  const cached = agentOf({ model, hooks: { beforeModel: () => ({ answer: "cached" }) } });
  const run = cached.stream("Hi");
  const events = await collect(run);
  expect(await run.result).toMatchObject({
    status: "completed",
    text: "cached",
    usage: { inputTokens: 0 },
  });
  expect(events.some((event) => event.kind === "text-delta" && event.text === "cached")).toBe(true);
  expect(model.requests).toHaveLength(1);
});

test("a hook may answer the whole run, or replace its answer", async () => {
  const model = modelOf("from the model");
  const early = agentOf({ model, hooks: { beforeAgent: () => "not today" } });
  expect(await early.ask("Hi")).toMatchObject({ status: "completed", text: "not today", steps: 0 });
  const late = agentOf({ model, hooks: { afterAgent: (text) => text.toUpperCase() } });
  expect(await late.ask("Hi")).toMatchObject({ text: "FROM THE MODEL" });
});

test("hooks may give a tool's result in its place, and replace it", async () => {
  let executed = 0;
  const hooks = {
    beforeTool: ({ arguments: given }: { arguments: { a?: unknown } }) =>
      given.a === 1 ? { result: "cached" } : undefined,
    afterTool: (result: { kind: string }) =>
      result.kind === "error" ? { result: "mended" } : undefined,
  };
  const tool = add.with({ name: "add" });
  const counted = { ...tool, execute: async () => Promise.reject(new Error(`${++executed}`)) };
  const model = modelOf(
    {
      calls: [
        { name: "add", arguments: { a: 1, b: 1 } },
        { name: "add", arguments: { a: 2, b: 2 } },
      ],
    },
    "ok",
  );
  const definition = { model, hooks, tools: [Object.assign(Object.create(tool), counted)] };
  const result = await agentOf(definition).ask("Hi");
  expect(executed).toBe(1);
  expect(result.messages.at(-2)).toMatchObject({
    content: [
      { isError: false, content: [{ text: "cached" }] },
      { isError: false, content: [{ text: "mended" }] },
    ],
  });
});

const throws = (): never => {
  throw new Error("bug in the hook");
};

test.each([
  "beforeAgent",
  "afterAgent",
  "beforeModel",
  "afterModel",
  "beforeTool",
  "afterTool",
] as const)("what %s throws fails the run, under its name", async (name) => {
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 1 } }] }, "ok");
  const result = await agentOf({ model, tools: [add], hooks: { [name]: throws } }).ask("Hi");
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "hook-failed", message: `The hook ${name} failed: bug in the hook` },
  });
});

/** What hooks give that they cannot. */
const junk: readonly (readonly [string, unknown])[] = [
  ["beforeAgent", 42],
  ["afterAgent", { text: "x" }],
  ["beforeModel", "text"],
  ["afterModel", "text"],
  ["beforeTool", true],
  ["afterTool", "done"],
];

test.each(junk)("%s that gives %o fails the run in words", async (name, given) => {
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 1 } }] }, "ok");
  const result = await agentOf({ model, tools: [add], hooks: { [name]: () => given } }).ask("Hi");
  expect(result).toMatchObject({ status: "failed", error: { code: "hook-failed" } });
  expect(result.status === "failed" && result.error.message).toMatch(`The hook ${name} gave`);
});

test("a run that a hook answers has its typed output, or fails", async () => {
  const output = z.object({ n: z.number() });
  const ask = (text: string) => {
    const definition = {
      name: "a",
      model: modelOf("x"),
      output,
      hooks: { beforeAgent: () => text },
    };
    return createDragoman({ env: {} }).defineAgent(definition).ask("Hi");
  };
  expect((await ask('{"n":1}')).orThrow().output).toEqual({ n: 1 });
  expect(await ask("cached")).toMatchObject({
    status: "failed",
    error: { code: "invalid-output" },
  });
});
