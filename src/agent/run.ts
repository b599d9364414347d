import type { RunEvent } from "./run-event.ts";
import type { RunResult } from "./run-result.ts";

/**
 * One run of an agent. It is lazy: the first `next()` of an iteration or the first look at `result`
 * starts it.
 *
 * Each iteration is a reader of its own and gets every event from the first on; leaving the loop ends
 * that reader only. For a slow reader, pieces of one text are joined. `await using` cancels a run that
 * is not finished when its scope is left.
 */
export interface Run<Output = unknown> extends AsyncIterable<RunEvent>, AsyncDisposable {
  readonly id: string;
  /** How the run ended. Never rejects because a run went wrong: see {@link RunResult}. */
  readonly result: Promise<RunResult<Output>>;
  /** Cancels the run, wherever it is; `result` then has the status `cancelled` and this reason. */
  cancel(reason?: unknown): void;
}
