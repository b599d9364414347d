import { expect, test } from "vitest";
import { modelOf } from "../../test/agent-fixture.ts";
import { acceptRun } from "../agent/accepted-run.ts";
import type { Agent } from "../agent/agent.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { RunStore } from "../agent/run-store.ts";
import { untilAborted } from "../base/abort.ts";
import { systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { manualClock } from "../testing/manual-clock.ts";
import type { RunMessage } from "./engine.ts";
import { KnownAgents } from "./known-agents.ts";
import { RunWorker, type RunWorkerOptions } from "./run-worker.ts";

const keyOf = (id: string) => ({ app: "desk", id });

const messageOf = (runId: string): RunMessage => ({
  app: "desk",
  runId,
  stand: 0,
  because: "go",
});

/** A model that answers when it is told to. */
function held() {
  const asked: AbortSignal[] = [];
  const free = Promise.withResolvers<void>();
  const model = modelOf("done");
  const stream = model.stream.bind(model);
  const agent: Agent = createDragoman({ app: "desk", logger: silentLogger, env: {} }).defineAgent({
    name: "clerk",
    model: {
      ...model,
      async *stream(request, options) {
        asked.push(options.signal);
        await untilAborted(free.promise, options.signal);
        yield* stream(request, options);
      },
    },
  });
  return { agent, asked, free };
}

const optionsFor = (agent: Agent): Omit<RunWorkerOptions, "store"> => ({
  app: "desk",
  agents: new KnownAgents([agent]),
  concurrency: 8,
  drainMs: 0,
  resumeWith: undefined,
  clock: systemClock,
  logger: silentLogger,
});

async function open(agent: Agent, options: Partial<RunWorkerOptions> = {}) {
  const store: RunStore = options.store ?? new MemoryRunStore();
  const worker = new RunWorker({ ...optionsFor(agent), ...options, store });
  for (const id of ["r1", "r2"]) {
    await acceptRun(store, { id, app: "desk", agent: "clerk", input: "Go" }, {});
  }
  return { store, worker };
}

test("an attempt that comes while the run is executed here waits for that execution", async () => {
  const { agent, asked, free } = held();
  const { worker } = await open(agent);
  const attempts = [worker.execute(messageOf("r1")), worker.execute(messageOf("r1"))];
  await expect.poll(() => asked).toHaveLength(1);
  free.resolve();
  expect(await Promise.all(attempts)).toEqual([{ kind: "settled" }, { kind: "settled" }]);
  expect(asked).toHaveLength(1);
});

test("so many at once and no more; an attempt that was given up meanwhile is not begun", async () => {
  const { agent, asked, free } = held();
  const { store, worker } = await open(agent, { concurrency: 1 });
  const first = worker.execute(messageOf("r1"));
  await expect.poll(() => asked).toHaveLength(1);
  const attempt = new AbortController();
  const second = worker.execute(messageOf("r2"), attempt.signal);
  attempt.abort();
  expect(await second).toMatchObject({ kind: "again" });
  const third = worker.execute(messageOf("r2"));
  expect(asked).toHaveLength(1);
  free.resolve();
  expect(await Promise.all([first, third])).toEqual([{ kind: "settled" }, { kind: "settled" }]);
  expect(await store.get(keyOf("r2"))).toMatchObject({ status: "completed" });
});

test("a run that is cancelled elsewhere, or erased, is stopped at once", async () => {
  const { agent, asked } = held();
  const { store, worker } = await open(agent);
  const executions = ["r1", "r2"].map((id) => worker.execute(messageOf(id)));
  await expect.poll(() => asked).toHaveLength(2);
  await new RunWorker({ ...optionsFor(agent), store }).cancel("r1");
  await store.delete(keyOf("r2"));
  expect(await Promise.all(executions)).toEqual([{ kind: "settled" }, { kind: "settled" }]);
  expect(asked.every(({ aborted }) => aborted)).toBe(true);
  expect(await store.get(keyOf("r1"))).toMatchObject({ status: "cancelled" });
});

test("a run that another worker has taken over is left to it", async () => {
  const { agent, asked, free } = held();
  const { store, worker } = await open(agent);
  const execution = worker.execute(messageOf("r1"));
  await expect.poll(() => asked).toHaveLength(1);
  await store.takeOver(keyOf("r1"), "somebody else");
  free.resolve();
  expect(await execution).toEqual({ kind: "settled" });
  expect(await store.get(keyOf("r1"))).toMatchObject({ status: "running" });
});

test("a worker that is closed puts its runs down where they are, and takes no more", async () => {
  const { agent, asked } = held();
  const { store, worker } = await open(agent);
  const execution = worker.execute(messageOf("r1"));
  await expect.poll(() => asked).toHaveLength(1);
  await worker.close();
  const shutdown = { kind: "again", code: "shutdown" };
  expect(await execution).toEqual(shutdown);
  expect(asked[0]?.aborted).toBe(true);
  expect(await store.get(keyOf("r1"))).toMatchObject({ status: "running" });
  expect(await worker.execute(messageOf("r2"))).toEqual(shutdown);
  expect(await store.get(keyOf("r2"))).toMatchObject({ status: "running", sequence: 0 });
});

test("a run that is put down before it has begun is not recorded as cancelled", async () => {
  const { agent } = held();
  const given = Promise.withResolvers<object>();
  const asking = Promise.withResolvers<void>();
  const { store, worker } = await open(agent, {
    resumeWith: () => {
      asking.resolve();
      return given.promise;
    },
  });
  const execution = worker.execute(messageOf("r1"));
  await asking.promise;
  const closed = worker.close();
  given.resolve({});
  await closed;
  expect(await execution).toEqual({ kind: "again", code: "shutdown" });
  expect(await store.get(keyOf("r1"))).toMatchObject({ status: "running", sequence: 0 });
});

test("runs that end in time are not put down", async () => {
  const { agent, asked, free } = held();
  const clock = manualClock();
  const { store, worker } = await open(agent, { clock, drainMs: 5_000 });
  const execution = worker.execute(messageOf("r1"));
  await expect.poll(() => asked).toHaveLength(1);
  const closed = worker.close();
  free.resolve();
  expect(await execution).toEqual({ kind: "settled" });
  await closed; // although the clock stands still
  expect(clock.pending).toBe(0);
  expect(await store.get(keyOf("r1"))).toMatchObject({ status: "completed" });
});
