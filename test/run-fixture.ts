import type { RunEvent, RunEventBody } from "../src/agent/run-event.ts";
import type { NewRun, RunChanges } from "../src/agent/run-store.ts";
import type { Waiting } from "../src/agent/waiting.ts";

/** Which run these tests are about. */
export const key = { app: "desk", id: "r" } as const;
/** How it begins. */
export const run: NewRun = { ...key, agent: "tester", input: "Go" };
/** Who executes it first. */
export const owner = "owner_1";

/** What a run waits for in these tests. */
export const waitingFor = (...ids: readonly string[]): readonly Waiting[] =>
  ids.map((id) => ({
    kind: "approval",
    id,
    agentPath: ["tester"],
    call: { id, name: "refund", arguments: {} },
  }));

/** An event of a run in these tests. */
export const eventOf = (sequence: number, body: RunEventBody): RunEvent => ({
  ...body,
  runId: key.id,
  sequence,
  time: 1_000,
  agentPath: ["tester"],
});

/** An event that is kept by itself. */
export const step = (sequence: number): RunEvent =>
  eventOf(sequence, { kind: "step-start", step: 1 });
/** A piece of a text. */
export const delta = (sequence: number, text: string, id = "1"): RunEvent =>
  eventOf(sequence, { kind: "text-delta", id, text });
/** What puts it aside. */
export const suspended = (...ids: readonly string[]): RunChanges => ({
  status: "suspended",
  waitingFor: waitingFor(...ids),
});
