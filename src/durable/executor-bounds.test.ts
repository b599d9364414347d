import { expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import type { Agent } from "../agent/agent.ts";
import { asAssembly } from "../agent/create-assembly.ts";
import { followRun } from "../agent/follow-run.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { Run } from "../agent/run.ts";
import { runPatience } from "../agent/run-patience.ts";
import { silentLogger } from "../base/logger.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { unreliableStore } from "../testing/unreliable-store.ts";
import { defineTool } from "../tool/define-tool.ts";
import { openLocalExecutor } from "./local-executor.ts";

/** An agent whose runs can be looked at from outside. */
function watchedAgent() {
  const runs: Run[] = [];
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => "paid" });
  const model = modelOf({ calls: [{ id: "p", name: "pay" }] }, "done");
  const inner = agentOf({ model, tools: [pay], approval: { tools: { pay: "ask" } } });
  const noted = (run: Run): Run => {
    runs.push(run);
    return run;
  };
  const agent: Agent = asAssembly(
    {
      ...inner,
      stream: (input, options) => noted(inner.stream(input, options)),
      resumeStream: (id, options) => noted(inner.resumeStream(id, options)),
    },
    inner,
  );
  return { agent, runs };
}

test("an executor holds no events of its runs, which whoever follows them gets from the store", async () => {
  const store = new MemoryRunStore();
  const { agent, runs } = watchedAgent();
  await using executor = await openLocalExecutor({ store, agents: [agent], logger: silentLogger });
  const { runId } = await executor.start(agent, "Go");
  expect(await executor.result(runId)).toMatchObject({ status: "suspended" });
  await executor.signal(runId, { "approval:p": { kind: "approve" } });
  const followed: string[] = [];
  for await (const { kind } of followRun(store, { app: "default", id: runId })) {
    followed.push(kind);
  }
  expect(followed).toEqual(expect.arrayContaining(["run-start", "run-suspend", "run-end"]));
  expect(runs).toHaveLength(2);
  for (const run of runs) {
    expect(await collect(run)).toEqual([]);
    expect((await run.result).runId).toBe(runId);
  }
});

test("an executor whose store hangs is closed all the same", async () => {
  const clock = manualClock();
  const { store, hang, untilHanging } = unreliableStore(new MemoryRunStore({ clock }));
  const { agent } = watchedAgent();
  const executor = await openLocalExecutor({ store, agents: [agent], logger: silentLogger, clock });
  const { runId } = await executor.start(agent, "Go");
  expect(await executor.result(runId)).toMatchObject({ status: "suspended" });
  hang();
  const signalling = executor.signal(runId, { "approval:p": { kind: "approve" } });
  await untilHanging();
  let isClosed = false;
  const closing = executor[Symbol.asyncDispose]().then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(runPatience.lateEnd);
  }
  await closing;
  signalling.catch(() => {});
});

test("who waits for a result leaves though the store hangs", async () => {
  const { store, hang, untilHanging } = unreliableStore(new MemoryRunStore());
  const { agent } = watchedAgent();
  await using executor = await openLocalExecutor({ store, agents: [agent], logger: silentLogger });
  const { runId } = await executor.start(agent, "Go");
  hang("get");
  const controller = new AbortController();
  const waiting = executor.result(runId, { signal: controller.signal });
  await untilHanging();
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});
