import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { failureOf } from "../../test/failure-of.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { RunStore } from "../agent/run-store.ts";
import { untilAborted } from "../base/abort.ts";
import { silentLogger } from "../base/logger.ts";
import { defineTool } from "../tool/define-tool.ts";
import { type LocalExecutor, openLocalExecutor } from "./local-executor.ts";

const keyOf = (id: string) => ({ app: "default", id });

/** An executor of an agent that uses a tool "work", once. */
function open(store: RunStore, execute: (signal: AbortSignal) => unknown): Promise<LocalExecutor> {
  const work = defineTool({
    name: "work",
    description: "Works.",
    idempotent: true,
    execute: (_input, { signal }) => execute(signal),
  });
  const model = modelOf(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "done" : { calls: [{ id: "w", name: "work" }] },
  );
  const agents = [agentOf({ model, tools: [work] })];
  return openLocalExecutor({ store, agents, logger: silentLogger, concurrency: 1 });
}

test("a run of an id that is there already is not started again, and another actor's id is refused", async () => {
  let done = 0;
  await using executor = await open(new MemoryRunStore(), () => {
    done += 1;
    return 1;
  });
  const start = (actor: string) => executor.start("tester", "Go", { id: "order-7", actor });
  const all = await Promise.all([start("ann"), start("ann"), start("ann")]);
  expect(all).toEqual(Array(3).fill({ runId: "order-7" }));
  await executor.result("order-7");
  expect(await start("ann")).toEqual({ runId: "order-7" });
  expect(done).toBe(1);
  expect(await failureOf(start("eve"))).toMatchObject({ code: "run-conflict" });
});

test("runs beyond what is executed at once are kept when they are started, and left to the next executor", async () => {
  const store = new MemoryRunStore();
  const begun = Promise.withResolvers<void>();
  const stopping = await open(store, (signal) => {
    begun.resolve();
    return untilAborted(new Promise(() => {}), signal);
  });
  const { runId: running } = await stopping.start("tester", "Go");
  await begun.promise;
  const { runId: waiting } = await stopping.start("tester", "Go, too");
  expect(await store.get(keyOf(waiting))).toMatchObject({ input: "Go, too", status: "running" });
  stopping.stop();
  expect(await failureOf(stopping.start("tester", "No"))).toBeDefined();
  await stopping.cancel(running);
  expect(await stopping.result(running)).toMatchObject({ status: "cancelled" });
  await stopping[Symbol.asyncDispose]();
  expect(await store.events(keyOf(waiting))).toEqual([]);
  await using executor = await open(store, () => 1);
  expect(await executor.result(waiting)).toMatchObject({ status: "completed", text: "done" });
  const kinds = (await store.events(keyOf(waiting))).map(({ kind }) => kind);
  expect([kinds[0], kinds.includes("run-resume")]).toEqual(["run-start", false]);
});

test("a run that waits for its turn can be cancelled", async () => {
  const gate = Promise.withResolvers<void>();
  await using executor = await open(new MemoryRunStore(), () => gate.promise);
  await executor.start("tester", "Go");
  const { runId } = await executor.start("tester", "Go, too");
  await executor.cancel(runId);
  gate.resolve();
  expect(await executor.result(runId)).toMatchObject({ status: "cancelled" });
});
