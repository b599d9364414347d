import { expect, test } from "vitest";
import type { RunEvent } from "../../src/agent/run-event.ts";
import { memoryRuns } from "../../src/stores/memory-runs.ts";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { RunTimeline } from "./run-timeline.ts";
import { timeScale } from "./time-scale.ts";

const call = { calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }] };

function timelineOf(events: readonly RunEvent[]): RunTimeline {
  const timeline = new RunTimeline();
  for (const event of events) {
    timeline.take(event);
  }
  return timeline;
}

test("P1: model calls, tools and what happened besides are rows with their times", async () => {
  const model = modelOf({ reasoning: "Hm.", text: "I add.", ...call }, "Three.");
  const { rows, start, end } = timelineOf(
    await collect(agentOf({ model, tools: [add] }).stream("Hi")),
  );
  expect(rows).toMatchObject([
    { kind: "model", label: "scripted", status: "ok", text: "I add.", reasoning: "Hm." },
    { kind: "tool", label: "add", status: "ok", arguments: { a: 1, b: 2 }, text: "3" },
    { kind: "model", detail: "step 2", text: "Three.", usage: { inputTokens: 1 } },
  ]);
  expect(rows.every((row) => row.start >= (start ?? 0) && (row.end ?? 0) <= (end ?? 0))).toBe(true);
});

test("what a subagent does stands deeper than who asked it", async () => {
  const helper = agentOf({ model: modelOf("Found.") });
  const ask = { calls: [{ id: "c1", name: "delegate_to_tester", arguments: { request: "Look" } }] };
  const { rows } = timelineOf(
    await collect(agentOf({ model: modelOf(ask, "Done."), tools: [helper] }).stream("Hi")),
  );
  const deep = rows.filter(({ depth }) => depth > 0);
  expect(deep).toMatchObject([{ kind: "model", text: "Found." }]);
  expect(rows.find(({ kind }) => kind === "agent")).toMatchObject({ label: "tester", depth: 0 });
});

test("P1: a run that waited shows for whom, and its call goes on in the same row", async () => {
  const store = memoryRuns();
  const agent = agentOf(
    { model: modelOf(call, "Three."), tools: [add], approval: { default: "ask" } },
    { app: "desk" },
  );
  const run = agent.stream("Hi", { store });
  await run.result;
  const events = (): Promise<readonly RunEvent[]> => store.events({ app: "desk", id: run.id });
  const waiting = timelineOf(await events());
  expect(waiting.rows.at(-1)).toMatchObject({ kind: "wait", status: "waiting" });
  expect(waiting.pauses).toEqual([{ start: expect.any(Number) }]);
  const [{ waitingFor } = { waitingFor: [] }] = (await store.list({ app: "desk" })).runs;
  const decisions = { [waitingFor[0]?.id ?? ""]: { kind: "approve" } } as const;
  await agent.resume(run.id, { store, decisions });
  const done = timelineOf(await events());
  expect(done.rows.filter(({ kind }) => kind === "tool")).toMatchObject([{ status: "ok" }]);
  expect(done.rows.find(({ kind }) => kind === "wait")).toMatchObject({ status: "ok" });
  expect(done.end).toBeDefined();
});

test("times in which a run only waited take no room", () => {
  const run = { start: 1_000, end: 9_000, last: 9_000, pauses: [{ start: 2_000, end: 8_000 }] };
  const { activeMs, waitedMs, at } = timeScale(run, 0);
  expect([activeMs, waitedMs]).toEqual([2_000, 6_000]);
  expect([1_000, 2_000, 5_000, 8_000, 8_500, 9_000].map(at)).toEqual([0, 0.5, 0.5, 0.5, 0.75, 1]);
  const waiting = { start: 0, end: undefined, last: 1_000, pauses: [{ start: 1_000 }] };
  expect(timeScale(waiting, 60_000)).toMatchObject({ activeMs: 1_000, waitedMs: 59_000 });
});

test("a run that was cancelled leaves nothing going on", async () => {
  const run = agentOf({ model: modelOf({ text: "Well", hangs: true }) }).stream("Hi");
  const timeline = new RunTimeline();
  for await (const event of run) {
    timeline.take(event);
    if (event.kind === "text-delta") {
      run.cancel("enough");
    }
  }
  expect(timeline.rows.map(({ status, end }) => [status, end !== undefined])).toEqual([
    ["cancelled", true],
  ]);
});
