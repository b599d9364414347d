import type { Assembly } from "../agent/assembly.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { RunOptions } from "../agent/run-options.ts";
import type { RunRecord } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";

/** What a run is started with: the executor has the store. */
export interface StartOptions extends Omit<RunOptions, "store"> {
  /**
   * The run's id, for whoever must not start the same twice: where the application has a run of that id
   * already, that one is meant and none is started. Default: a new one.
   */
  readonly id?: string;
}

/** A run that was accepted. */
export interface StartedRun {
  readonly runId: string;
}

/**
 * Executes runs so that they outlive whoever has started them: what was accepted is carried to its end,
 * by another process if need be. Agents are known by their names, which must not change while runs of
 * theirs are under way.
 */
export interface Executor extends AsyncDisposable {
  /**
   * Starts a run, in its turn. When this resolves, the run is kept: it will be carried on whatever happens
   * to this process. Options that are not plain data do not outlive it.
   *
   * @throws RunError where the run could not be kept; ConfigurationError for an agent that is not known.
   */
  start(agent: Assembly | string, input: RunInput, options?: StartOptions): Promise<StartedRun>;
  /**
   * Tells a run what was decided, by the id of what it waits for, and lets it go on.
   *
   * @param actor whose run it must be, where somebody is not to decide for others.
   * @throws RunError `run-not-found`, `decision-refused`: the first decision stands.
   */
  signal(
    runId: string,
    decisions: Readonly<Record<string, Decision>>,
    options?: { readonly actor?: string },
  ): Promise<void>;
  /** Ends a run as cancelled. @throws RunError `run-not-found`, `run-finished`, and what the store throws. */
  cancel(runId: string, options?: { readonly actor?: string }): Promise<void>;
  /**
   * How a run has ended, or that it waits for somebody: resolves when it does either.
   *
   * @throws RunError `run-not-found`; the signal's reason.
   */
  result(runId: string, options?: ResultOptions): Promise<RunRecord>;
}

/** How long and for whom a result is waited for. */
export interface ResultOptions {
  readonly actor?: string;
  readonly signal?: AbortSignal;
}
