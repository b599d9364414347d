import { expect, test } from "vitest";
import { toInterrupt } from "../../src/ag-ui/to-interrupt.ts";
import type { Waiting } from "../../src/agent/waiting.ts";
import { fromInterrupt, fromWaiting, toDeclined, toResumeEntry } from "./question.ts";

const approval: Waiting = {
  id: "approval:c1",
  kind: "approval",
  agentPath: ["tester"],
  expiresAt: 1_700_000_000_000,
  call: { id: "c1", name: "refund", arguments: { order: 1 }, server: "shop" },
};

const elicitation: Waiting = {
  id: "elicitation:1",
  kind: "elicitation",
  agentPath: ["tester"],
  server: "shop",
  message: "Which size?",
  schema: { type: "object", properties: { size: { type: "number" } } },
};

test("the same question is asked, whether it comes over AG-UI or from a run's record", () => {
  for (const waiting of [approval, elicitation]) {
    const { id: _, ...stored } = fromWaiting(waiting);
    const { id, ...sent } = fromInterrupt(toInterrupt(waiting, { runId: "run_1" }));
    expect(id).toBe(`run_1:${waiting.id}`);
    expect(sent).toEqual(stored);
  }
});

test("decisions are sent as AG-UI has them, reasons and declined forms included", () => {
  expect(toResumeEntry("i", { kind: "approve" }).payload).toEqual({ approved: true });
  expect(toResumeEntry("i", { kind: "deny", reason: "No." }).payload).toEqual({
    approved: false,
    reason: "No.",
  });
  expect(toResumeEntry("i", { kind: "answer", value: { size: 4 } }).payload).toEqual({ size: 4 });
  expect(toDeclined("i")).toEqual({ interruptId: "i", status: "cancelled" });
});
