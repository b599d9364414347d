import type { Message } from "../message/message.ts";
import type { FinishReason } from "../model/model-event.ts";
import type { Usage } from "../model/usage.ts";
import type { FailedServer, RunFailure } from "./run-failure.ts";

/** What every finished run tells. */
interface RunReport {
  readonly runId: string;
  /** The last answer's text; for a run that did not complete, the text so far. */
  readonly text: string;
  /** The id of the model that was used; empty where the run failed before one was chosen. */
  readonly model: string;
  /** All tokens of the run. */
  readonly usage: Usage;
  /** Number of model calls. */
  readonly steps: number;
  /** The conversation: the session's history, the input, answers, calls and results, in order. */
  readonly messages: readonly Message[];
  /** Servers whose tools the run had to do without. */
  readonly failedServers: readonly FailedServer[];
  /** The result itself where the run completed. @throws the run's error otherwise. */
  orThrow(): CompletedRun;
}

/** The model gave its answer. */
export interface CompletedRun extends RunReport {
  readonly status: "completed";
  /** Why the model stopped: `"stop"`, or `"length"`, `"content-filter"`; `"max-steps"` after the step limit. */
  readonly finishReason: FinishReason | "max-steps";
}

/** Something went wrong, or the deadline passed (`deadline-exceeded`). */
export interface FailedRun extends RunReport {
  readonly status: "failed";
  readonly error: RunFailure;
  /** What was thrown, for programs in this process; `error` is its plain form. */
  readonly cause: unknown;
}

/** Somebody cancelled the run. */
export interface CancelledRun extends RunReport {
  readonly status: "cancelled";
  /** What was given as the reason. */
  readonly reason: unknown;
}

/** How a run ended; `switch` on `status`. */
export type RunResult = CompletedRun | FailedRun | CancelledRun;
