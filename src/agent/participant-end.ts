import type { LoopState } from "./model-step.ts";
import type { RunDraft } from "./run-draft.ts";
import { RunError } from "./run-error.ts";
import { type FailedServer, type RunFailure, toRunFailure } from "./run-failure.ts";
import type { RunResult } from "./run-result.ts";
import { cancelledRun, failedRun } from "./settle-run.ts";

/**
 * How a participant has ended, as it is recorded: with that, a run that is resumed takes none of its
 * steps again that were not taken, and opens none of its servers. What it said is in its steps.
 */
export type ParticipantEnd = {
  readonly status: "completed" | "failed" | "cancelled";
  readonly error?: RunFailure;
  /** Why it was cancelled. */
  readonly reason?: string;
  readonly tainted: LoopState["tainted"];
  readonly failedServers: readonly FailedServer[];
};

/** What is recorded of a result; `undefined` for one that waits. */
export function endOf(result: RunResult, draft: RunDraft): ParticipantEnd | undefined {
  const { tainted } = draft.state;
  const { failedServers } = draft;
  const rest = { tainted, failedServers: [...failedServers] };
  switch (result.status) {
    case "suspended":
      return undefined;
    case "completed":
      return { status: "completed", ...rest };
    case "failed":
      return { status: "failed", error: result.error, ...rest };
    case "cancelled":
      return { status: "cancelled", reason: toRunFailure(result.reason).message, ...rest };
  }
}

/** What a step of a participant throws that has ended so, and has never taken that step. */
export function refusalOf({ status, error }: ParticipantEnd, name: string): RunError {
  return status === "completed"
    ? new RunError(
        `"${name}" had ended when the run was recorded, and now takes another step. Resume the run with what it was begun with.`,
        { code: "step-mismatch" },
      )
    : new ParticipantFailure(error ?? { code: "cancelled", message: `"${name}" was stopped.` });
}

/** The result of going over the recorded steps, ended as it was ended then. */
export function endedAs(result: RunResult, { status, error, reason }: ParticipantEnd): RunResult {
  switch (status) {
    case "completed":
      return result;
    case "cancelled":
      return cancelledRun(reason, result);
    case "failed":
      return failedRun(
        new ParticipantFailure(error ?? { code: "internal-error", message: "It failed." }),
        result,
      );
  }
}

/** A failure of an earlier execution, of which only its plain form is kept. */
class ParticipantFailure extends RunError {
  constructor({ code, message, step, tool }: RunFailure) {
    super(message, {
      // The codes of all parts of the package are possible here, as in a RunFailure.
      code: code as RunError["code"],
      ...(step === undefined ? {} : { step }),
      ...(tool === undefined ? {} : { tool }),
    });
  }
}
