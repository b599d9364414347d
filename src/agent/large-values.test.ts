import { expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import type { DragomanConfig } from "../configure.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { unreliableStore } from "../testing/unreliable-store.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";
import type { Agent } from "./agent.ts";
import { followRun } from "./follow-run.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import { largeFrom } from "./out-of-line.ts";
import type { RunEvent } from "./run-event.ts";

const key = (id: string) => ({ app: "default", id });

/** Gives a great deal, then asks whether it may pay. */
function largeThenWaiting(log: string[], settings: DragomanConfig): Agent {
  const text = "x".repeat(largeFrom);
  const execute = () => {
    log.push("large");
    return text;
  };
  const large = defineTool({ name: "large", description: "Gives much.", execute });
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => "paid" });
  const model = modelOf(
    { calls: [{ id: "l", name: "large" }] },
    { calls: [{ id: "p", name: "pay" }] },
    "done",
  );
  return agentOf({ model, tools: [large, pay], approval: { tools: { pay: "ask" } } }, settings);
}

test("a large value of a step is an artifact where artifacts have a store, and is there when the run is resumed", async () => {
  const log: string[] = [];
  const store = new MemoryRunStore();
  const artifacts = memoryArtifacts();
  const agent = largeThenWaiting(log, { artifacts: { store: artifacts } });
  const { runId } = await agent.ask("Go", { store, actor: "ada" });
  const steps = await store.steps(key(runId));
  const kept = steps.find((step) => step.key.startsWith("tool:large"));
  const reference = { "dragoman:text": expect.stringMatching(/^sha256-/) };
  expect(kept).toMatchObject({ value: { value: reference, content: [{ text: reference }] } });
  const options = {
    store,
    actor: "ada",
    decisions: { "approval:p": { kind: "approve" } },
  } as const;
  const result = await agent.resume(runId, options);
  expect(result).toMatchObject({ status: "completed", text: "done" });
  expect(JSON.stringify(result.messages)).toContain("xxxx");
  expect(log).toEqual(["large"]);
});

test("a run whose large value is not there any more is told which, and goes on when it is", async () => {
  const store = new MemoryRunStore();
  const artifacts = memoryArtifacts();
  const first = largeThenWaiting([], { artifacts: { store: artifacts } });
  const { runId } = await first.ask("Go", { store });
  const decisions = { "approval:p": { kind: "approve" } } as const;
  const without = await largeThenWaiting([], {}).resume(runId, { store, decisions });
  expect(without).toMatchObject({
    status: "failed",
    error: { code: "store-corrupt", message: expect.stringMatching(/tool:large.*sha256-/) },
  });
  expect(await first.resume(runId, { store })).toMatchObject({ status: "completed" });
});

/** A run whose tools give a large value and a picture, and what its reader has seen while it went on. */
async function watched(settings: DragomanConfig) {
  const execute = () =>
    toolSuccess(
      { rows: Array.from({ length: 60_000 }, (_one, row) => row), secret: "s".repeat(largeFrom) },
      { content: [{ kind: "text", text: "A table." }, picture] },
    );
  const table = defineTool({ name: "table", description: "A table.", execute });
  const model = modelOf({ calls: [{ id: "t", name: "table" }] }, "done");
  const agent = agentOf({ model, tools: [table] }, settings);
  const run = agent.stream([{ kind: "text", text: "See:" }, picture], { actor: "ada" });
  return { agent, seen: await collect(run), runId: run.id };
}

/** All that a reader gets. */
async function eventsOf(reading: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of reading) {
    events.push(event);
  }
  return events;
}

const picture = {
  kind: "image",
  mediaType: "image/png",
  source: { kind: "data", base64: Buffer.alloc(30_000, 7).toString("base64") },
} as const;

test("events name what is large, and whoever follows the run with its artifacts gets them whole", async () => {
  const runs = new MemoryRunStore();
  const artifacts = memoryArtifacts();
  const { seen, runId } = await watched({ runs, artifacts: { store: artifacts } });
  const kept = await runs.events(key(runId));
  expect(JSON.stringify(seen).length).toBeGreaterThan(largeFrom);
  expect(JSON.stringify(kept).length).toBeLessThan(6_000);
  const withoutMedia = { kind: "url", url: expect.stringMatching(/^artifact:sha256-/) };
  const end = kept.find(({ kind }) => kind === "tool-end");
  expect(end).toMatchObject({
    result: {
      value: { secret: { "dragoman:text": expect.any(String) } },
      content: [
        { kind: "text", text: "A table." },
        { kind: "image", source: withoutMedia },
      ],
    },
  });
  const followed = await eventsOf(followRun(runs, key(runId), { artifacts }));
  const ofTool = (events: readonly RunEvent[]) => events.filter(({ kind }) => kind === "tool-end");
  expect(ofTool(followed)).toEqual(ofTool(seen));
  expect(await eventsOf(followRun(runs, key(runId)))).toEqual(kept);
  // What nobody has any more is named still.
  await artifacts.release({ app: "default", actor: "ada" }, { kind: "owner" });
  expect(await eventsOf(followRun(runs, key(runId), { artifacts }))).toEqual(kept);
});

test("what a run was asked names its media, and a run that is taken up again has them", async () => {
  const runs = new MemoryRunStore();
  const settings = { runs, artifacts: { store: memoryArtifacts() } };
  const pay = defineTool({ name: "pay", description: "Pays.", execute: () => "paid" });
  const model = modelOf({ calls: [{ id: "p", name: "pay" }] }, "done");
  const agent = agentOf({ model, tools: [pay], approval: { tools: { pay: "ask" } } }, settings);
  const { runId } = await agent.ask([picture]);
  expect(JSON.stringify(await runs.get(key(runId))).length).toBeLessThan(3_000);
  const result = await agent.resume(runId, { decisions: { "approval:p": { kind: "approve" } } });
  expect(result).toMatchObject({ status: "completed" });
  expect(model.requests.at(-1)?.messages[0]).toEqual({ role: "user", content: [picture] });
});

test.each([true, false])(
  "what a tool gives that looks like a reference is itself when the run is resumed (kept: %s)",
  async (isKept) => {
    const value = { "dragoman:artifact": `sha256-${"0".repeat(64)}` };
    const odd = defineTool({ name: "odd", description: "Odd.", execute: () => value });
    const pay = defineTool({ name: "pay", description: "Pays.", execute: () => "paid" });
    const model = modelOf(
      { calls: [{ id: "o", name: "odd" }] },
      { calls: [{ id: "p", name: "pay" }] },
      "done",
    );
    const settings = isKept
      ? { runs: new MemoryRunStore(), artifacts: { store: memoryArtifacts() } }
      : {};
    const agent = agentOf(
      { model, tools: [odd, pay], approval: { tools: { pay: "ask" } } },
      settings,
    );
    const { runId } = await agent.ask("Go");
    const decisions = { "approval:p": { kind: "approve" } } as const;
    const result = await agent.resume(runId, { decisions });
    expect(result).toMatchObject({ status: "completed", text: "done" });
    expect(JSON.stringify(result.messages)).toContain(`sha256-${"0".repeat(64)}`);
  },
);

test("a store of artifacts that fails costs room in the events, not the run", async () => {
  const runs = new MemoryRunStore();
  const { store, fail } = unreliableStore(memoryArtifacts());
  const execute = () => toolSuccess("A picture.", { content: [picture] });
  const show = defineTool({ name: "show", description: "Shows.", execute });
  const model = modelOf({ calls: [{ id: "s", name: "show" }] }, "done");
  const agent = agentOf({ model, tools: [show] }, { runs, artifacts: { store } });
  fail(new Error("no disk"), "put");
  const result = await agent.ask("Go");
  expect(result).toMatchObject({ status: "completed" });
  expect(JSON.stringify(await runs.events(key(result.runId)))).toContain(picture.source.base64);
});
