import type { Run } from "./run.ts";
import type { RunInput } from "./run-input.ts";
import type { ResumeOptions, RunOptions } from "./run-options.ts";
import type { RunResult } from "./run-result.ts";

/** Anything that can be asked: an agent, or several as one. Holds no state between runs. */
export interface Assembly<Output = unknown> {
  readonly name: string;
  readonly description: string | undefined;
  /**
   * Runs once and tells how it ended. Never rejects because a run went wrong: look at `status`, or
   * call `orThrow()` on the result.
   *
   * @throws ConfigurationError where the options themselves are not valid.
   */
  ask(input: RunInput, options?: RunOptions): Promise<RunResult<Output>>;
  /** The same, to be watched while it happens; starts with the first look. */
  stream(input: RunInput, options?: RunOptions): Run<Output>;
  /**
   * Goes on with a run of this assembly that waits for somebody, or whose process has ended: steps that
   * were done are not done again. The run has the same id, and its events go on from where they were.
   *
   * What was not given to the run as plain data must be given again: context, signal, model, limits,
   * tools and the stores. The result is `failed` with `run-not-found`, `run-finished`, `run-conflict`
   * or `decision-refused` where the run cannot be resumed so.
   */
  resume(runId: string, options?: ResumeOptions): Promise<RunResult<Output>>;
  /** The same, to be watched while it happens; has the events from `run-resume` on. */
  resumeStream(runId: string, options?: ResumeOptions): Run<Output>;
}
