import type { Clock } from "../base/clock.ts";
import { refuseLateDecisions } from "./decisions.ts";
import type { RunKey, RunRecord, RunStore } from "./run-store.ts";
import type { Decision } from "./waiting.ts";

/**
 * Records decisions for a run that is kept, if they come in time.
 *
 * @returns the run, as it is then: whoever carries runs sees whether it may go on.
 * @throws RunError `decision-refused` and `run-not-found`; what the store throws.
 */
export async function decideKeptRun(
  store: RunStore,
  key: RunKey,
  decisions: Readonly<Record<string, Decision>>,
  clock: Clock,
): Promise<RunRecord> {
  const found = await store.get(key);
  if (found !== undefined) {
    refuseLateDecisions(found, decisions, clock.now());
  }
  return store.decide(key, decisions);
}
