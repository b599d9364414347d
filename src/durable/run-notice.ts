import { whileRunning } from "../agent/run-patience.ts";
import type { RunRecord, RunStore } from "../agent/run-store.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";
import { sleep } from "../base/sleep.ts";
import { allRuns } from "./all-runs.ts";
import { messageId, type RunMessage } from "./engine.ts";

/** What is watched, and who is told. */
export interface RunNoticeOptions {
  readonly store: RunStore;
  readonly app: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each run that may go on, perhaps by several workers and more than once. */
  readonly deliver: (message: RunMessage) => Promise<void>;
}

/** How long what others decide may go unnoticed, besides what the store takes, in milliseconds. */
const lookMs = 200;

const retryMs = 1_000;

/** How long the engine is not told again of a run that has not gone on yet, in milliseconds. */
const patienceMs = 60_000;

/**
 * Notices runs that may go on although nobody has told the engine: what a process has decided that knows
 * of no engine, such as the command line, or that has died before it could tell.
 */
export class RunNotice {
  readonly #options: RunNoticeOptions;
  readonly #closing = new AbortController();
  /** When the engine was told of runs that have not gone on yet, by their message. */
  #told: ReadonlyMap<string, number> = new Map();
  #work: Promise<void> | undefined;

  constructor(options: RunNoticeOptions) {
    this.#options = options;
  }

  /** Begins to watch, once. */
  begin(): void {
    this.#work ??= this.#watch();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#work;
  }

  async #watch(): Promise<void> {
    const { store, app, logger } = this.#options;
    const { signal } = this.#closing;
    let hasSwept = false;
    while (!signal.aborted) {
      try {
        if (!hasSwept) {
          await this.#sweep();
          hasSwept = true;
        }
        for await (const _ of store.changes({ app }, signal)) {
          await this.#tellOf(
            await allRuns(store, { app, status: "suspended", ready: true }, signal),
          );
          await this.#pause(lookMs);
        }
      } catch (thrown) {
        if (signal.aborted) {
          return;
        }
        logger.warn(`Runs that may go on cannot be noticed now: ${messageOf(thrown)}`);
        await this.#pause(retryMs);
      }
    }
  }

  /** Runs that were kept by somebody who may have died before the engine knew of them. */
  async #sweep(): Promise<void> {
    const { store, app } = this.#options;
    const { signal } = this.#closing;
    const running = await allRuns(store, { app, status: "running" }, signal);
    await this.#tellOf(running.filter(({ sequence }) => sequence === 0));
  }

  async #tellOf(runs: readonly RunRecord[]): Promise<void> {
    const { clock, deliver } = this.#options;
    const told = new Map<string, number>();
    for (const { app, id, sequence } of runs) {
      const message: RunMessage = { app, runId: id, stand: sequence, because: "go" };
      const name = messageId(message);
      const before = this.#told.get(name);
      const isDue = before === undefined || clock.now() - before >= patienceMs;
      if (isDue) {
        await whileRunning(this.#closing.signal, () => deliver(message));
      }
      told.set(name, isDue ? clock.now() : before);
    }
    this.#told = told;
  }

  async #pause(durationMs: number): Promise<void> {
    // It only ends early where the watch is closed, which its loop looks for.
    await sleep(this.#options.clock, durationMs, this.#closing.signal).catch(() => {});
  }
}
