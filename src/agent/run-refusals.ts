import { decisionProblem } from "./decisions.ts";
import { RunError } from "./run-error.ts";
import type { RunRecord, RunStatus } from "./run-store.ts";
import type { Decision } from "./waiting.ts";

/** Whether a run has ended for good. */
export const hasEnded = (status: RunStatus): boolean =>
  status !== "running" && status !== "suspended";

/** The statuses of runs that have ended. */
export const endStatuses: readonly RunStatus[] = ["completed", "failed", "cancelled"];

/** The error for a run that is not there, for whoever asks. */
export const runNotFound = (id: string): RunError =>
  new RunError(`There is no run ${JSON.stringify(id)}.`, { code: "run-not-found" });

/** The error for an id that is taken. */
export const runExists = (id: string): RunError =>
  new RunError(`The application has a run ${JSON.stringify(id)} already.`, {
    code: "run-conflict",
  });

/** The error for whoever executes a run no more. */
export const runLost = (id: string): RunError =>
  new RunError(
    `Run ${JSON.stringify(id)} was taken over by somebody else, who executes it now. What this execution still does is not recorded.`,
    { code: "run-lost" },
  );

/** @throws RunError `run-finished` where the run has ended, `decision-refused`. */
export function checkTakeOver(
  record: RunRecord,
  decisions: Readonly<Record<string, Decision>>,
): void {
  if (hasEnded(record.status)) {
    throw new RunError(`Run ${JSON.stringify(record.id)} has ended: it is ${record.status}.`, {
      code: "run-finished",
    });
  }
  checkDecisions(record, decisions);
}

/** @throws RunError `decision-refused`. */
export function checkDecisions(
  record: RunRecord,
  decisions: Readonly<Record<string, Decision>>,
): void {
  const problem = decisionProblem(record, decisions);
  if (problem !== undefined) {
    throw problem;
  }
}

/** What a run waits for besides what was decided. */
export const undecided = (
  { waitingFor }: RunRecord,
  decisions: Readonly<Record<string, Decision>>,
): RunRecord["waitingFor"] => waitingFor.filter(({ id }) => !Object.hasOwn(decisions, id));
