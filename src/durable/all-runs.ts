import { whileRunning } from "../agent/run-patience.ts";
import type { RunFilter, RunRecord, RunStore } from "../agent/run-store.ts";

/**
 * All runs that a filter lets through, page after page.
 *
 * @throws the signal's reason, also where the store does not answer.
 */
export async function allRuns(
  store: RunStore,
  filter: Omit<RunFilter, "after" | "limit">,
  signal: AbortSignal,
): Promise<readonly RunRecord[]> {
  const runs: RunRecord[] = [];
  let after: string | undefined;
  do {
    const place = after === undefined ? {} : { after };
    const wanted = { ...filter, limit: 1_000, ...place };
    const page = await whileRunning(signal, () => store.list(wanted));
    runs.push(...page.runs);
    after = page.next;
  } while (after !== undefined);
  return runs;
}
