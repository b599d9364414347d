import type { Message } from "../message/message.ts";
import type { FinishReason } from "../model/model-event.ts";
import type { Usage } from "../model/usage.ts";
import type { LimitReason } from "./loop-guard.ts";
import type { RunArtifact } from "./run-artifacts.ts";
import type { FailedServer, RunFailure } from "./run-failure.ts";
import type { Waiting } from "./waiting.ts";

/** What every finished run tells. */
export interface RunReport {
  readonly runId: string;
  /** The last answer's text; for a run that did not complete, the text so far. */
  readonly text: string;
  /** The id of the model that was used; empty where the run failed before one was chosen. */
  readonly model: string;
  /** All tokens of the run, those of all participants included. */
  readonly usage: Usage;
  /** The same by the id of the model, where several took part. */
  readonly usageByModel: Readonly<Record<string, Usage>>;
  /** Number of model calls, those of all participants included. */
  readonly steps: number;
  /** The conversation: the session's history, the input, answers, calls and results, in order. */
  readonly messages: readonly Message[];
  /** Servers whose tools the run had to do without. */
  readonly failedServers: readonly FailedServer[];
  /** Files that its tools gave, in the order in which they came; equal ones once. */
  readonly artifacts: readonly RunArtifact[];
  /** Who was asked in turn and has ended or waits, in the order in which they were asked. Their tokens and steps count above. */
  readonly participants: readonly ParticipantReport[];
}

/** What a participant of a run did. */
export interface ParticipantReport {
  /** Its name in the run's paths. */
  readonly name: string;
  readonly result: RunResult;
}

/** The part of every result that turns it into an exception, for those who prefer one. */
interface Throwing<Output> {
  /** The result itself where the run completed. @throws the run's error otherwise. */
  orThrow(): CompletedRun<Output>;
}

/** The model gave its answer. */
export interface CompletedRun<Output = unknown> extends RunReport, Throwing<Output> {
  readonly status: "completed";
  /** The answer as the agent's `output` describes it; `undefined` where the agent has none. */
  readonly output: Output;
  /** Why the model stopped: `"stop"`, `"length"`, `"content-filter"`, …; or the limit that ended its work. */
  readonly finishReason: FinishReason | LimitReason;
}

/** Something went wrong, or the deadline passed (`deadline-exceeded`). */
export interface FailedRun<Output = unknown> extends RunReport, Throwing<Output> {
  readonly status: "failed";
  readonly error: RunFailure;
  /** What was thrown, for programs in this process; `error` is its plain form. */
  readonly cause: unknown;
}

/** Somebody cancelled the run. */
export interface CancelledRun<Output = unknown> extends RunReport, Throwing<Output> {
  readonly status: "cancelled";
  /** What was given as the reason. */
  readonly reason: unknown;
}

/** The run waits for somebody. It holds nothing open, and goes on by `resume`. */
export interface SuspendedRun<Output = unknown> extends RunReport, Throwing<Output> {
  readonly status: "suspended";
  /** What it waits for, at least one. */
  readonly waitingFor: readonly Waiting[];
}

/** How a run ended, or why it stands still; `switch` on `status`. */
export type RunResult<Output = unknown> =
  | CompletedRun<Output>
  | FailedRun<Output>
  | CancelledRun<Output>
  | SuspendedRun<Output>;
