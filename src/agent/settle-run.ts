import type { Answer, ParticipantScope } from "./participant.ts";
import { RunError } from "./run-error.ts";
import { toRunFailure } from "./run-failure.ts";
import type { CompletedRun, RunReport, RunResult } from "./run-result.ts";
import { Suspension } from "./suspension.ts";

/** What a participant did, as a result; never rejects. */
export async function settleRun<Output>(
  work: Promise<Answer>,
  { draft, runId, signal }: Pick<ParticipantScope, "draft" | "runId" | "signal">,
): Promise<RunResult<Output>> {
  try {
    return completedRun(await work, draft.report(runId));
  } catch (thrown) {
    const report = draft.report(runId);
    // A run that is cancelled while it waits is cancelled.
    return thrown instanceof Suspension && !signal.aborted
      ? suspendedRun(thrown, report)
      : brokenOff(thrown, report, signal);
  }
}

/** A run that broke off: by its signal, whatever was thrown then, or else with what was thrown. */
export function brokenOff<Output>(
  thrown: unknown,
  report: RunReport,
  signal: AbortSignal,
): RunResult<Output> {
  if (!signal.aborted) {
    return failedRun(thrown, report);
  }
  // What we abort with ourselves is an error: a deadline that has passed.
  return RunError.is(signal.reason)
    ? failedRun(signal.reason, report)
    : cancelledRun(signal.reason, report);
}

function completedRun<Output>({ end, output }: Answer, report: RunReport): CompletedRun<Output> {
  const result: CompletedRun<Output> = {
    status: "completed",
    finishReason: end,
    output: output as Output, // checked by the agent's own schema; undefined where it has none
    ...report,
    orThrow: () => result,
  };
  return result;
}

/** A run that broke off with what was thrown. @param report may be a whole result: only what all have is taken. */
export function failedRun<Output>(cause: unknown, report: RunReport): RunResult<Output> {
  const orThrow = (): never => {
    throw cause;
  };
  return { status: "failed", error: toRunFailure(cause), cause, ...reportOf(report), orThrow };
}

/** A run that was cancelled. */
export function cancelledRun<Output>(reason: unknown, report: RunReport): RunResult<Output> {
  const orThrow = (): never => {
    throw new RunError("The run was cancelled.", { code: "cancelled", cause: reason });
  };
  return { status: "cancelled", reason, ...reportOf(report), orThrow };
}

const reportOf = (given: RunReport): RunReport => ({
  runId: given.runId,
  text: given.text,
  model: given.model,
  usage: given.usage,
  usageByModel: given.usageByModel,
  steps: given.steps,
  messages: given.messages,
  failedServers: given.failedServers,
  artifacts: given.artifacts,
  participants: given.participants,
});

function suspendedRun<Output>({ waitingFor }: Suspension, report: RunReport): RunResult<Output> {
  const orThrow = (): never => {
    const ids = waitingFor.map(({ id }) => JSON.stringify(id)).join(", ");
    throw new RunError(`The run waits for a decision on ${ids}; resume it with one.`, {
      code: "suspended",
    });
  };
  return { status: "suspended", waitingFor, ...report, orThrow };
}
