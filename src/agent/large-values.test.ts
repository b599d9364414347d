import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import type { DragomanConfig } from "../configure.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Agent } from "./agent.ts";
import { largeFrom } from "./large-values.ts";
import { MemoryRunStore } from "./memory-run-store.ts";

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
  expect(kept).toMatchObject({ value: { "dragoman:artifact": expect.stringMatching(/^sha256-/) } });
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
