import type { Caller } from "../ag-ui/handler-options.ts";
import type { Run } from "../agent/run.ts";
import { RunError } from "../agent/run-error.ts";
import type { ResumeOptions } from "../agent/run-options.ts";
import type { RunRecord } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import type { FoundRun } from "./found-run.ts";
import { whose } from "./owned.ts";

/** The run, to be watched, which goes on with the first look. */
export function resumedRun(
  { place, record }: FoundRun,
  options: Pick<ResumeOptions, "decisions" | "signal">,
  caller: Caller,
): Run {
  const { agent, runs, sessions } = place;
  const { id, session } = record;
  return agent.resumeStream(id, {
    ...options,
    context: caller.context,
    store: runs,
    ...whose(caller),
    ...(session === undefined
      ? {}
      : { session: { id: session, ...(sessions === undefined ? {} : { store: sessions }) } }),
  });
}

/**
 * Tells a run what was decided and lets it go on, in this process.
 *
 * @returns the run as it stands when it has begun to go on.
 * @throws RunError where it cannot: it has ended, is executed already, or does not wait for that.
 */
export async function resumeRun(
  { place, record }: FoundRun,
  decisions: Readonly<Record<string, Decision>>,
  caller: Caller,
): Promise<RunRecord> {
  const { app, runs } = place;
  const { id } = record;
  const run = resumedRun({ place, record }, { decisions }, caller);
  // The first event comes when the decisions are kept; a run that cannot go on has none.
  for await (const _ of run) {
    return (await runs.get({ app, id })) ?? record;
  }
  const result = await run.result;
  throw result.status === "failed"
    ? result.cause
    : new RunError(`Run ${id} did not go on.`, { code: "run-conflict" });
}
