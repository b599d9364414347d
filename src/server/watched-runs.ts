import { hasEnded } from "../agent/run-refusals.ts";
import type { RunRecord, RunStore } from "../agent/run-store.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";

/** What runs are watched with. */
export interface WatchedRunsOptions {
  readonly app: string;
  readonly runs: RunStore;
  readonly logger: Logger;
  /** Is told each time a run waits for somebody, and when it has ended; it is waited for. */
  readonly report: ((run: RunRecord, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Of more runs that wait for somebody than these, the end of the oldest is not waited for. */
const mostParked = 1_000;

/** Runs whose ends somebody wants to know. */
export class WatchedRuns {
  readonly #options: WatchedRunsOptions;
  readonly #closing = new AbortController();
  /** What is being done; what only waits for somebody is not among it. */
  readonly #busy = new Set<Promise<void>>();
  /** What ends the watching of each run that waits for somebody, the oldest first. */
  readonly #parked = new Map<string, AbortController>();
  readonly #watching = new Set<Promise<void>>();

  constructor(options: WatchedRunsOptions) {
    this.#options = options;
  }

  /**
   * Watches a run.
   *
   * @returns how it stands when it has ended or waits for somebody; `undefined` where that cannot be seen.
   */
  watch(runId: string): Promise<RunRecord | undefined> {
    const settled = Promise.withResolvers<RunRecord | undefined>();
    const watching: Promise<void> = this.#watch(runId, settled.resolve)
      .catch((thrown: unknown) => {
        if (!this.#closing.signal.aborted) {
          const { logger } = this.#options;
          logger.error(`Run ${runId} cannot be watched: ${messageOf(thrown)}`);
        }
      })
      .finally(() => {
        settled.resolve(undefined);
        this.#parked.delete(runId);
        this.#watching.delete(watching);
      });
    this.#watching.add(watching);
    void this.#keepBusy(settled.promise.then(() => {}));
    return settled.promise;
  }

  /** Fulfilled when no run goes on and nobody is being told, but of what begins after that. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) {
      await Promise.all(this.#busy);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort("the webhook was closed");
    await Promise.all(this.#watching);
  }

  async #watch(runId: string, onSettled: (run: RunRecord) => void): Promise<void> {
    const { app, runs, report } = this.#options;
    const leaving = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, leaving.signal]);
    let told = -1;
    for await (const _ of runs.changes({ app, id: runId }, signal)) {
      const run = await runs.get({ app, id: runId });
      const isOver = run === undefined || hasEnded(run.status);
      const stands = isOver || (run.status === "suspended" && !run.ready);
      if (stands && run !== undefined && run.sequence !== told) {
        told = run.sequence;
        onSettled(run);
        await this.#tell(run);
      }
      if (isOver || (stands && report === undefined)) {
        return;
      }
      this.#park(runId, stands ? leaving : undefined);
    }
  }

  #park(runId: string, leaving: AbortController | undefined): void {
    if (leaving === undefined) {
      this.#parked.delete(runId);
      return;
    }
    this.#parked.set(runId, leaving);
    const [oldest] = this.#parked;
    if (this.#parked.size > mostParked && oldest !== undefined) {
      this.#parked.delete(oldest[0]);
      oldest[1].abort();
      this.#options.logger.warn(
        `More than ${mostParked} runs wait for somebody; the end of ${oldest[0]} will not be told.`,
      );
    }
  }

  async #tell(run: RunRecord): Promise<void> {
    const { report, logger } = this.#options;
    const { signal } = this.#closing;
    const telling = (report?.(run, signal) ?? Promise.resolve()).catch((thrown: unknown) =>
      logger.error(`The end of run ${run.id} could not be told: ${messageOf(thrown)}`),
    );
    await this.#keepBusy(telling);
  }

  #keepBusy(work: Promise<void>): Promise<void> {
    const one: Promise<void> = work.finally(() => this.#busy.delete(one));
    this.#busy.add(one);
    return one;
  }
}
