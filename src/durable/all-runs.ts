import type { RunFilter, RunRecord, RunStore } from "../agent/run-store.ts";

/** All runs that a filter lets through, page after page. */
export async function allRuns(
  store: RunStore,
  filter: Omit<RunFilter, "after" | "limit">,
): Promise<readonly RunRecord[]> {
  const runs: RunRecord[] = [];
  let after: string | undefined;
  do {
    const place = after === undefined ? {} : { after };
    const page = await store.list({ ...filter, limit: 1_000, ...place });
    runs.push(...page.runs);
    after = page.next;
  } while (after !== undefined);
  return runs;
}
