import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import { silentLogger } from "../base/logger.ts";
import { ModelError } from "../model/model-error.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { ScriptedTurn } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolCall } from "../tool/tool.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";

const kindsOf = (events: readonly RunEvent[]): readonly string[] => events.map(({ kind }) => kind);

test("a model that fails fails the run, and the text so far is kept and closed", async () => {
  const error = new ModelError("Overloaded.", { code: "model-unavailable", retryable: true });
  const run = agentOf({ model: modelOf({ text: "So far", error }) }).stream("Hi");
  const events = await collect(run);
  expect(await run.result).toMatchObject({
    status: "failed",
    text: "So far",
    error: { code: "model-unavailable", message: "Overloaded." },
    cause: error,
  });
  expect(kindsOf(events).slice(-6)).toEqual([
    "text-delta",
    "text-delta",
    "text-end",
    "model-end",
    "step-end",
    "run-end",
  ]);
  await expect(run.result.then((result) => result.orThrow())).rejects.toBe(error);
});

test("a stream that ends early is an error, not an answer", async () => {
  const model = {
    ...modelOf("x"),
    async *stream() {
      yield { kind: "text-start", id: "t" } as const;
    },
  };
  expect(await agentOf({ model }).ask("Hi")).toMatchObject({
    status: "failed",
    error: { code: "model-invalid-response" },
  });
});

test("a run's events tell all of it, in order, with rising sequence numbers", async () => {
  const clock = manualClock(5);
  const model = modelOf(
    { reasoning: "Sum.", text: "Let me see.", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
    "3",
  );
  const run = agentOf({ model, tools: [add] }, { clock }).stream("1+2?");
  const events = await collect(run);
  const distinct = kindsOf(events).filter((kind, index, all) => kind !== all[index - 1]);
  expect(distinct).toEqual([
    "run-start",
    "step-start",
    "model-start",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "text-start",
    "text-delta",
    "text-end",
    "tool-call-start",
    "tool-call-delta",
    "tool-call-end",
    "model-end",
    "tool-start",
    "tool-end",
    "step-end",
    "step-start",
    "model-start",
    "text-start",
    "text-delta",
    "text-end",
    "model-end",
    "step-end",
    "run-end",
  ]);
  expect(events.every((event, index) => event.sequence > (events[index - 1]?.sequence ?? 0))).toBe(
    true,
  );
  expect(events.every(({ runId, time }) => runId === run.id && time === 5)).toBe(true);
  expect(events[0]?.agentPath).toEqual(["tester"]);
});

test("a run starts with the first look and not before", async () => {
  const model = modelOf("ok");
  const run = agentOf({ model }).stream("Hi");
  await Promise.resolve();
  expect(model.requests).toHaveLength(0);
  expect((await run.result).status).toBe("completed");
  expect(model.requests).toHaveLength(1);
});

test("two readers see the same run, and looking twice does not run twice", async () => {
  const model = modelOf("ok");
  const run = agentOf({ model }).stream("Hi");
  const [left, right] = await Promise.all([collect(run), collect(run)]);
  expect(left).toEqual(right);
  expect(model.requests).toHaveLength(1);
});

/** Places where a run can be when it is stopped. */
const hangs: Readonly<Record<string, Omit<AgentDefinition, "name">>> = {
  "a model that waits for its signal": { model: modelOf({ text: "Half", hangs: true }) },
  "a model that ignores its signal": {
    model: {
      ...modelOf("x"),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
    },
  },
  "a tool that ignores its signal": {
    model: modelOf({ calls: [{ name: "slow" }, { name: "add", arguments: { a: 1, b: 2 } }] }),
    tools: [neverEnding("slow"), add],
  },
  "instructions that never come": {
    model: modelOf("x"),
    instructions: () => new Promise(() => {}),
  },
  "a server that never opens": {
    model: modelOf("x"),
    mcp: [{ name: "slow", open: () => new Promise(() => {}) }],
  },
};

const lastPossible = ["text-delta", "model-start", "tool-end", "run-start"];

test.each(Object.entries(hangs))("cancel ends %s", async (_, definition) => {
  const run = agentOf(definition).stream("Hi");
  const events: RunEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (lastPossible.includes(event.kind)) {
      run.cancel("enough");
    }
  }
  const result = await run.result;
  expect(result).toMatchObject({ status: "cancelled", reason: "enough" });
  expect(() => result.orThrow()).toThrow(/cancelled/);
  expect(events.at(-1)).toMatchObject({ kind: "run-end", status: "cancelled" });
  expectClosed(events);
});

test.each(Object.entries(hangs))("a deadline ends %s", async (_, definition) => {
  const clock = manualClock();
  const run = agentOf(definition, { clock }).stream("Hi", { timeoutMs: 1_000 });
  for await (const event of run) {
    if (lastPossible.includes(event.kind)) {
      clock.advance(1_000);
    }
  }
  expect(await run.result).toMatchObject({
    status: "failed",
    error: { code: "deadline-exceeded", message: "The run did not end within 1000 ms." },
  });
  expect(clock.pending).toBe(0);
});

/** Whatever was opened is closed before the run ends. */
function expectClosed(events: readonly RunEvent[]): void {
  const open = new Set<string>();
  for (const event of events) {
    const match = /^(text|reasoning|tool-call|tool|model|step)-(start|end)$/.exec(event.kind);
    if (match !== null) {
      const key = `${match[1]} ${"id" in event ? event.id : ""}`;
      expect(open.has(key)).toBe(match[2] === "end");
      open[match[2] === "start" ? "add" : "delete"](key);
    }
  }
  expect([...open]).toEqual([]);
}

test("on cancellation every call has a result, and finished ones are kept", async () => {
  const definition = {
    model: modelOf({ calls: [{ name: "slow" }, { name: "add", arguments: { a: 1, b: 2 } }] }),
    tools: [neverEnding("slow"), add],
  };
  const run = agentOf(definition).stream("Hi");
  for await (const event of run) {
    if (event.kind === "tool-end" && event.name === "add") {
      run.cancel();
    }
  }
  expect((await run.result).messages.at(-1)).toMatchObject({
    role: "tool",
    content: [
      { name: "slow", isError: true },
      { name: "add", isError: false, content: [{ text: "3" }] },
    ],
  });
});

test("the caller's signal cancels, and one that is aborted already lets nothing start", async () => {
  const model = modelOf({ hangs: true });
  const controller = new AbortController();
  const asking = agentOf({ model }).ask("Hi", { signal: controller.signal });
  controller.abort("stop");
  expect(await asking).toMatchObject({ status: "cancelled", reason: "stop" });
  const late = await agentOf({ model }).ask("Hi", { signal: controller.signal });
  expect(late.status).toBe("cancelled");
  expect(model.requests).toHaveLength(0);
});

test("a tool sees who runs, its deadline, and a signal that aborts with the run", async () => {
  const clock = manualClock(100);
  let seen: unknown;
  const look = defineTool({
    name: "look",
    description: "",
    execute: (_input, call) => {
      seen = { ...call, signal: call.signal.aborted, binding: { ...call.binding, signal: null } };
      call.progress({ progress: 1, total: 2, message: "half" });
      return null;
    },
  });
  const run = agentOf(
    { model: modelOf({ calls: [{ name: "look" }] }, "ok"), tools: [look] },
    { clock },
  ).stream("Hi", { actor: "ada", context: { plan: "pro" }, timeoutMs: 50 });
  const events = await collect(run);
  expect(seen).toMatchObject({
    id: "call_1",
    deadline: 150,
    idempotencyKey: `${run.id}:tool:look#call_1`,
    binding: {
      run: { id: run.id, actor: "ada", context: { plan: "pro" }, agentPath: ["tester"] },
      agent: { name: "tester" },
      deadline: 150,
    },
  });
  expect(events.find(({ kind }) => kind === "tool-progress")).toMatchObject({
    id: "call_1",
    progress: { progress: 1, total: 2, message: "half" },
  });
});

test("await using cancels a run that is left unfinished", async () => {
  let left: Run;
  {
    await using run = agentOf({ model: modelOf({ hangs: true }) }).stream("Hi");
    left = run;
    for await (const { kind } of run) {
      if (kind === "model-start") {
        break;
      }
    }
  }
  expect((await left.result).status).toBe("cancelled");
});

const never = (): Promise<never> => new Promise(() => {});

const calling = (): Omit<AgentDefinition, "name"> => ({
  model: modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 1 } }] }, "ok"),
  tools: [add],
});

const slowSchema = {
  "~standard": {
    version: 1,
    vendor: "slow",
    validate: never,
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
} as const;

/** The application's own code, which may hang anywhere. */
const hanging: Readonly<Record<string, Omit<AgentDefinition<unknown>, "name">>> = {
  ...Object.fromEntries(
    ["beforeAgent", "afterAgent", "beforeModel", "afterModel", "beforeTool", "afterTool"].map(
      (name) => [`the hook ${name}`, { ...calling(), hooks: { [name]: never } }],
    ),
  ),
  "the check of arguments": {
    ...calling(),
    tools: [
      defineTool({ name: "add", description: "", inputSchema: slowSchema, execute: () => 1 }),
    ],
  },
  "the check of the output": { model: modelOf('{"a":1}'), output: slowSchema },
};

test.each(Object.entries(hanging))(
  "a deadline ends a run in which %s hangs",
  async (_, definition) => {
    const run = agentOf(definition as Omit<AgentDefinition, "name">).stream("Hi", {
      timeoutMs: 100,
    });
    const events = await collect(run);
    expect(await run.result).toMatchObject({
      status: "failed",
      error: { code: "deadline-exceeded" },
    });
    expectClosed(events);
  },
);

test("a toolset that does not close is given up, and told", async () => {
  const clock = manualClock();
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const close = (): Promise<never> => {
    queueMicrotask(() => clock.advance(15_000));
    return never();
  };
  const stuck = { name: "stuck", open: async () => ({ tools: [], close }) };
  const agent = agentOf({ model: modelOf("ok"), mcp: [stuck] }, { clock, logger });
  expect((await agent.ask("Hi")).status).toBe("completed");
  expect(warnings).toEqual(['agent "tester" could not close "stuck": it takes too long']);
});

test("what a tool that was given up still says is no event of the run, and is not kept", async () => {
  const clock = manualClock();
  const store = new MemoryRunStore();
  const calls: ToolCall[] = [];
  const deaf = defineTool({
    name: "deaf",
    description: "Ignores its signal.",
    timeoutMs: 1_000,
    execute(_input, call) {
      calls.push(call);
      call.progress({ progress: 1, message: "begun" });
      return new Promise(() => {});
    },
  });
  const talks = () => calls.map(({ progress }) => progress({ progress: 2, message: "still here" }));
  const again: ScriptedTurn = () => {
    talks();
    return { calls: [{ name: "deaf" }] };
  };
  const model = modelOf({ calls: [{ name: "deaf" }] }, again);
  const run = agentOf({ model, tools: [deaf] }, { clock }).stream("Hi", { store });
  const events: RunEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (event.kind === "tool-progress") {
      calls.length === 1 ? clock.advance(1_000) : run.cancel();
    }
  }
  await run.result;
  talks();
  expect(clock.pending).toBe(0);
  const progress = events.flatMap((event) =>
    event.kind === "tool-progress" ? [event.progress.message] : [],
  );
  expect(progress).toEqual(["begun", "begun"]);
  const kept = await store.events({ app: "default", id: run.id });
  expect(kept.at(-1)).toMatchObject({ kind: "run-end", status: "cancelled" });
});

test("readers of a run whose end could not be recorded are told what its result says", async () => {
  const store = new MortalStore(1); // the model call, and nothing after it
  const run = agentOf({ model: modelOf("ok") }).stream("Hi", { store });
  const events = await collect(run);
  const result = await run.result;
  expect(result).toMatchObject({ status: "failed", error: { code: "store-unavailable" } });
  expect(events.at(-1)).toMatchObject({
    kind: "run-end",
    status: "failed",
    error: { code: "store-unavailable" },
  });
  expect(events.filter(({ kind }) => kind === "run-end")).toHaveLength(1);
});
