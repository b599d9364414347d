import { expect, test } from "vitest";
import { benchInput, toolBenchOf } from "../../src/agent/tool-bench.ts";
import { memoryRuns } from "../../src/stores/memory-runs.ts";
import { add, agentOf, collect } from "../../test/agent-fixture.ts";
import { newTrial, takeTrialEvent } from "./trial.ts";

test("P1: a call by hand shows its question, then its result", async () => {
  const store = memoryRuns();
  const bench = toolBenchOf(agentOf({ tools: [add], approval: { default: "ask" } }));
  const input = benchInput({ tool: "add", arguments: { a: 1, b: 2 } });
  const run = bench?.stream(input, { store });
  const asked = (run ? await collect(run) : []).reduce(takeTrialEvent, newTrial("run_1"));
  expect(asked).toMatchObject({ status: "suspended", questions: [{ tool: "add" }] });
  expect(asked.result).toBeUndefined();
  const decisions = { [asked.questions[0]?.id ?? ""]: { kind: "approve" } } as const;
  const going = bench?.resumeStream(run?.id ?? "", { store, decisions });
  const done = (going ? await collect(going) : []).reduce(takeTrialEvent, asked);
  expect(done).toMatchObject({
    status: "completed",
    questions: [],
    result: { isError: false, parts: [{ type: "text", text: "3" }] },
  });
});
