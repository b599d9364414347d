import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import { noUsage } from "../model/usage.ts";
import type { RunEvent } from "./run-event.ts";
import { runNotFound } from "./run-refusals.ts";
import type { RunKey, RunStore } from "./run-store.ts";
import { lastSequenceOf } from "./sequence-gap.ts";

/**
 * Cancels a run that this process does not execute: one that waits for somebody, or was left behind.
 * A process that still executes it can record nothing more of it.
 *
 * @throws RunError `run-not-found`, `run-finished`, and what the store throws.
 */
export async function cancelKeptRun(store: RunStore, key: RunKey, clock: Clock): Promise<void> {
  const found = await store.get(key);
  if (found === undefined) {
    throw runNotFound(key.id);
  }
  const owner = createId("owner");
  const record = await store.takeOver(key, owner);
  const { id: runId, agent, text = "", usage = noUsage } = record;
  const end: RunEvent = {
    kind: "run-end",
    status: "cancelled",
    text,
    usage,
    runId,
    sequence: lastSequenceOf(record, found.status) + 1,
    time: clock.now(),
    agentPath: [agent],
  };
  await store.write(key, owner, { status: "cancelled", waitingFor: [], events: [end] });
}
