import { expect, test } from "vitest";
import { modelOf } from "../../test/agent-fixture.ts";
import { failureOf } from "../../test/failure-of.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import type { Agent } from "../agent/agent.ts";
import type { AgentDefinition } from "../agent/agent-definition.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunFilter, RunPage, RunStore } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { silentLogger } from "../base/logger.ts";
import type { TraceContext } from "../base/trace-context.ts";
import { createDragoman } from "../configure.ts";
import { SpanRecorder } from "../otel/span-recorder.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import { type Engine, messageId, type RunMessage, type Standing } from "./engine.ts";
import { EngineExecutor, type EngineExecutorOptions } from "./engine-executor.ts";
import type { Executor } from "./executor.ts";

/** Keeps messages as an engine does, and hands none out by itself: tests say when. */
class Messages implements Engine {
  readonly all: RunMessage[] = [];
  readonly traces: (TraceContext | undefined)[] = [];
  isAway = false;

  async deliver(message: RunMessage, trace?: TraceContext): Promise<void> {
    if (this.isAway) {
      throw new RunError("It is away.", { code: "engine-unavailable" });
    }
    this.all.push(message);
    this.traces.push(trace);
  }
}

class TestExecutor extends EngineExecutor {
  execute(message: RunMessage | undefined, attempt?: AbortSignal): Promise<Standing> {
    return message === undefined
      ? expect.unreachable("no message was handed over")
      : this.worker.execute(message, attempt);
  }

  stop(runId: string): Promise<void> {
    return this.worker.cancel(runId);
  }

  notice(): void {
    this.beginToNotice();
  }
}

const call = (id: string) => ({ calls: [{ id, name: "pay", arguments: {} }] });
const yes: Decision = { kind: "approve" };
const keyOf = (id: string) => ({ app: "desk", id });

/** An agent "clerk" that pays once; what it pays with may wait. */
function clerk(
  pay: (signal: AbortSignal) => unknown = () => "paid",
  definition: Omit<AgentDefinition, "name"> = {},
  config: Parameters<typeof createDragoman>[0] = {},
): Agent {
  const model = modelOf(({ messages }) =>
    messages.some(({ role }) => role === "tool") ? "done" : call("c0"),
  );
  const tool = defineTool({
    name: "pay",
    description: "Pays.",
    idempotent: true,
    execute: (_input, { signal }) => pay(signal),
  });
  return createDragoman({ app: "desk", logger: silentLogger, env: {}, ...config }).defineAgent({
    name: "clerk",
    model,
    tools: [tool],
    ...definition,
  });
}

function open(agent: Agent, options: Partial<EngineExecutorOptions> = {}) {
  const messages = new Messages();
  const store: RunStore = options.store ?? new MemoryRunStore();
  const given = { app: "desk", agents: [agent], logger: silentLogger, store, drainMs: 0 };
  return { messages, store, executor: new TestExecutor({ ...given, ...options }, messages) };
}

test("a run that is started is kept and handed over as its id alone; executing it begins it", async () => {
  const { messages, store, executor } = open(clerk());
  const { runId } = await executor.start("clerk", "Pay my secret", { actor: "ann" });
  expect(messages.all).toEqual([{ app: "desk", runId, stand: 0, because: "go" }]);
  expect(await store.get(keyOf(runId))).toMatchObject({ status: "running", sequence: 0 });
  expect(await executor.execute(messages.all[0])).toEqual({ kind: "settled" });
  expect(await executor.result(runId)).toMatchObject({ status: "completed", text: "done" });
  const events = await store.events(keyOf(runId));
  expect(events[0]).toMatchObject({ kind: "run-start", sequence: 1 });
  expect(events.map(({ kind }) => kind)).not.toContain("run-resume");
  expect(await executor.execute(messages.all[0])).toEqual({ kind: "settled" }); // once more: nothing
  expect(await store.events(keyOf(runId))).toEqual(events);
});

test("limits, deadline and trace that a run is started with hold where it is executed", async () => {
  const recorder = new SpanRecorder(() => {});
  const { messages, store, executor } = open(clerk(undefined, {}, { instrument: recorder }));
  const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
  const limits = { maxSteps: 1 };
  const { runId } = await executor.start("clerk", "Pay", { limits, trace });
  expect(messages.traces).toEqual([trace]);
  await executor.execute(messages.all[0]);
  const [first] = await store.events(keyOf(runId));
  expect(first).toMatchObject({ kind: "run-start", trace: { traceparent: /a{32}/ } });
  expect(await store.get(keyOf(runId))).toMatchObject({ status: "completed" });
  expect(
    (await store.events(keyOf(runId))).filter(({ kind }) => kind === "step-start").length,
  ).toBe(
    2, // the second without tools, as the limit says
  );
});

test("a deadline counts from when the run was accepted, however often it is executed", async () => {
  const clock = manualClock();
  const agent = clerk(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        clock.advance(600);
      }),
    {},
    { clock },
  );
  const { messages, executor } = open(agent, { clock });
  const { runId } = await executor.start("clerk", "Pay", { timeoutMs: 1_000 });
  clock.advance(500); // it waits for its turn
  await executor.execute(messages.all[0]);
  expect(await executor.result(runId)).toMatchObject({
    status: "failed",
    error: {
      code: "deadline-exceeded",
      message: "The run did not end by 1970-01-01T00:00:01.000Z.",
    },
  });
});

test("a run that the engine does not take is not kept", async () => {
  const { messages, store, executor } = open(clerk());
  messages.isAway = true;
  expect(await failureOf(executor.start("clerk", "Pay"))).toMatchObject({
    code: "engine-unavailable",
  });
  expect((await store.list({ app: "desk" })).runs).toEqual([]);
});

test("what is not plain data cannot be given to a run that another process executes", async () => {
  const { executor, messages } = open(clerk());
  const asExecutor: Executor = executor; // where the options of all executors are taken
  const options = { context: { token: "t" } };
  expect(await failureOf(asExecutor.start("clerk", "Pay", options))).toMatchObject({
    code: "invalid-configuration",
    message: expect.stringMatching(/"context" .* resumeWith/),
  });
  expect(await failureOf(executor.start("nobody", "Pay"))).toMatchObject({
    message: expect.stringContaining('does not know the agent "nobody"'),
  });
  expect(messages.all).toEqual([]);
  expect(() => open(clerk(), { app: "shop" })).toThrow(/its agent "clerk" is of "desk"/);
});

test("resumeWith gives what is not kept, whose run it is comes from its record", async () => {
  const seen: unknown[] = [];
  const agent = clerk(undefined, {
    instructions: ({ run }) => {
      seen.push([run.actor, run.context]);
      return "Pay.";
    },
  });
  const { messages, executor } = open(agent, { resumeWith: (run) => ({ context: run.id.length }) });
  await executor.start("clerk", "Pay", { actor: "ann" });
  await executor.execute(messages.all[0]);
  expect(seen).toEqual([["ann", expect.any(Number)]]);
});

test("a run that waits says until when; it goes on by a decision, or when the time is over, and not otherwise", async () => {
  const clock = manualClock();
  const approval = { default: "ask", timeoutMs: 5_000 } as const;
  let paid = 0;
  const agent = clerk(() => (paid += 1), { approval }, { clock });
  const { messages, store, executor } = open(agent, { clock });
  const { runId } = await executor.start("clerk", "Pay");
  const waiting = await executor.execute(messages.all[0]);
  const stand = (await store.get(keyOf(runId)))?.sequence ?? 0;
  expect(waiting).toEqual({ kind: "waiting", stand, expiresAt: 5_000 });
  const expiry = { app: "desk", runId, stand, because: "expiry" } as const;
  expect(await executor.execute(messages.all[0])).toEqual(waiting);
  expect(await executor.execute(expiry)).toEqual(waiting); // too early
  expect(await executor.execute({ ...expiry, stand: stand - 1 })).toEqual({ kind: "settled" });
  expect(await store.get(keyOf(runId))).toMatchObject({ sequence: stand });
  clock.advance(5_000);
  expect(await failureOf(executor.signal(runId, { "approval:c0": yes }))).toMatchObject({
    code: "decision-refused",
  });
  expect(await executor.execute(expiry)).toEqual({ kind: "settled" });
  expect(await executor.result(runId)).toMatchObject({ status: "completed" });
  expect(paid).toBe(0);
});

test("a decision is handed over; where the engine is away it stands, and a worker notices it", async () => {
  let looks = 0;
  const store = new (class extends MemoryRunStore {
    override list(filter: RunFilter): Promise<RunPage> {
      looks += filter.ready === true ? 1 : 0;
      return super.list(filter);
    }
  })();
  const agent = clerk(undefined, { approval: { default: "ask" } });
  const { messages, executor } = open(agent, { store });
  const { runId } = await executor.start("clerk", "Pay");
  await executor.execute(messages.all[0]);
  messages.isAway = true;
  await executor.signal(runId, { "approval:c0": yes });
  expect(messages.all).toHaveLength(1);
  messages.isAway = false;
  executor.notice();
  await expect.poll(() => messages.all).toHaveLength(2);
  await store.create({ id: "other", app: "desk", agent: "clerk", input: "x" }, "somebody"); // a change
  await expect.poll(() => looks).toBeGreaterThan(1);
  expect(messages.all).toHaveLength(2); // told once, however often it looks
  expect(await executor.execute(messages.all[1])).toEqual({ kind: "settled" });
  expect(await executor.result(runId)).toMatchObject({ status: "completed" });
  await executor[Symbol.asyncDispose]();
});

test("a run that was accepted by a process that died before it could hand it over is noticed", async () => {
  const { messages, store, executor } = open(clerk());
  await executor.start("clerk", "Pay");
  const [lost] = messages.all.splice(0);
  executor.notice();
  await expect.poll(() => messages.all).toEqual([lost]);
  await executor.execute(lost);
  await executor[Symbol.asyncDispose]();
  expect((await store.list({ app: "desk" })).runs[0]).toMatchObject({ status: "completed" });
});

test("a run whose store fails is to be executed again, and then its finished steps are not done again", async () => {
  let paid = 0;
  const store = new MortalStore(3); // its terms, the model, and the call
  const { messages, executor } = open(
    clerk(() => (paid += 1)),
    { store },
  );
  const { runId } = await executor.start("clerk", "Pay");
  expect(await executor.execute(messages.all[0])).toEqual({
    kind: "again",
    code: "store-unavailable",
  });
  store.revive();
  expect(await executor.execute(messages.all[0])).toEqual({ kind: "settled" });
  expect(await executor.result(runId)).toMatchObject({ status: "completed" });
  expect(paid).toBe(1);
});

test("a worker that does not know the agent leaves the run to one that does", async () => {
  const { messages, store, executor } = open(clerk());
  const { runId } = await executor.start("clerk", "Pay");
  const other = createDragoman({ app: "desk", env: {} }).defineAgent({ name: "other" });
  const worker = open(other, { store });
  expect(await worker.executor.execute(messages.all[0])).toEqual({
    kind: "again",
    code: "invalid-configuration",
  });
  expect(await store.get(keyOf(runId))).toMatchObject({ status: "running" });
  expect(await executor.execute(messages.all[0])).toEqual({ kind: "settled" });
});

test("takeUp hands over what was left behind, and nothing that waits or has ended", async () => {
  const store = new MortalStore(1);
  const agent = clerk(undefined, { approval: { default: "ask" } });
  const { runId } = await agent.ask("Pay", { store });
  store.revive();
  const { messages, executor } = open(agent, { store });
  await Promise.all([executor.takeUp(runId), executor.takeUp(runId)]);
  expect(new Set(messages.all.map(messageId)).size).toBe(2); // one that came to nothing is no hindrance
  expect(await executor.execute(messages.all.pop())).toMatchObject({ kind: "waiting" });
  await executor.takeUp(runId);
  await executor.cancel(runId);
  await executor.takeUp(runId);
  expect(messages.all).toHaveLength(1);
  expect(await failureOf(executor.takeUp("nobody"))).toMatchObject({ code: "run-not-found" });
});
