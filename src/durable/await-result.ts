import { whileRunning } from "../agent/run-patience.ts";
import { hasEnded, runNotFound } from "../agent/run-refusals.ts";
import type { RunKey, RunRecord, RunStore } from "../agent/run-store.ts";

/**
 * How a run has ended, or that it waits for somebody: resolves when it does either.
 *
 * @throws RunError `run-not-found`; the signal's reason; what the store throws.
 */
export async function awaitResult(
  store: RunStore,
  key: RunKey,
  signal: AbortSignal = new AbortController().signal,
): Promise<RunRecord> {
  for await (const _ of store.changes(key, signal)) {
    const run = await whileRunning(signal, () => store.get(key));
    if (run === undefined) {
      throw runNotFound(key.id);
    }
    if (hasEnded(run.status) || (run.status === "suspended" && !run.ready)) {
      return run;
    }
  }
  throw signal.reason;
}
