import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../base/dragoman-error.ts";

/** Codes of {@link RunError}. */
export type RunErrorCode =
  /** `timeoutMs` of the run was over. */
  | "deadline-exceeded"
  /** Somebody cancelled the run. */
  | "cancelled"
  /** A server with `onUnavailable: "fail"` could not be used. */
  | "server-unavailable"
  /** A server was still being connected when the run was over. */
  | "server-not-ready"
  /** A hook of the application threw. */
  | "hook-failed"
  /** The model's answer does not fit the agent's `output`, also after it was asked again. */
  | "invalid-output"
  /** The model's plan could not be read, or is not one that can be executed. */
  | "invalid-plan"
  /** A step of a plan failed, which ends the plan. */
  | "plan-step-failed"
  /** A participant of an assembly failed; the cause tells why. */
  | "participant-failed"
  /** Participants hand a task to and fro, or more often than is allowed. */
  | "handoff-limit"
  /** A limit of the run was reached before all of an assembly's members were asked. */
  | "limit-reached"
  /** No run of that id is kept, or it is not this actor's. */
  | "run-not-found"
  /** The run is executed in this process already, or its id is taken. */
  | "run-conflict"
  /** The run has ended and cannot go on. */
  | "run-finished"
  /** Another process has taken the run over. */
  | "run-lost"
  /** A decision for something that is not waited for, or that was decided before. */
  | "decision-refused"
  /** The agent is not the one that the recorded steps were taken by. */
  | "step-mismatch"
  /** The run waits for a decision; only `orThrow` throws this. */
  | "suspended"
  /** An id, a limit or a filter that a store of runs does not take. */
  | "run-invalid"
  /** What a step gave is too large to be recorded. */
  | "step-too-large"
  /** The engine that runs are handed to could not be reached, or did not take the run. It was not started. */
  | "engine-unavailable"
  /** The store of the run cannot be reached or opened, or was closed. */
  | "store-unavailable"
  /** Somebody else held the store, or the run, for too long. Nothing was changed. */
  | "store-locked"
  /** No space is left. Nothing was changed, and what was stored can be read. */
  | "store-full"
  /** What is stored cannot be understood: damaged, or not a store of ours. */
  | "store-corrupt"
  /** A newer Dragoman has written the store. */
  | "store-too-new";

/** What is known of a run's failure. */
export interface RunErrorOptions extends DragomanErrorOptions<RunErrorCode> {
  readonly step?: number;
  readonly tool?: string;
}

/** A run that did not complete. `Run.result` never rejects with it; `orThrow` does. */
export class RunError extends DragomanError<RunErrorCode> {
  static {
    brandError(RunError, "RunError");
  }

  /** The step of a plan that failed, from 1. */
  readonly step: number | undefined;
  /** The tool that failed. */
  readonly tool: string | undefined;

  constructor(message: string, options: RunErrorOptions) {
    super(message, options);
    this.step = options.step;
    this.tool = options.tool;
  }

  static override is(value: unknown): value is RunError {
    return hasErrorBrand(value, "RunError");
  }
}
