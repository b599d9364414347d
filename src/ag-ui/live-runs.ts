import type { Run } from "../agent/run.ts";
import type { Clock } from "../base/clock.ts";

/** A run that clients read. */
export interface LiveRun<Reading> {
  readonly run: Run;
  /** What each reader's stream is made with. */
  readonly reading: Reading;
  /** How many read it now. */
  readers: number;
  hasEnded: boolean;
}

/** How runs are kept for their readers. */
export interface LiveRunsOptions {
  readonly clock: Clock;
  readonly onDisconnect: "cancel" | "continue";
  /** How long a run is kept after its end, in milliseconds; 0 for not at all. */
  readonly keepMs: number;
}

/** Of more runs that have ended than this, the oldest are not kept. */
const mostEnded = 1_000;

/** The runs of one endpoint that are going on, or that a client may come back to. */
export class LiveRuns<Reading> {
  readonly #options: LiveRunsOptions;
  readonly #runs = new Map<string, LiveRun<Reading>>();
  /** What stops the timers of those that have ended, the oldest first. */
  readonly #ended = new Map<string, () => void>();

  constructor(options: LiveRunsOptions) {
    this.#options = options;
  }

  find(key: string): LiveRun<Reading> | undefined {
    return this.#runs.get(key);
  }

  add(key: string, run: Run, reading: Reading): LiveRun<Reading> {
    this.#forget(key);
    const live: LiveRun<Reading> = { run, reading, readers: 0, hasEnded: false };
    this.#runs.set(key, live);
    return live;
  }

  /** Counts a reader. @returns what to call when it is gone. */
  enter(key: string, live: LiveRun<Reading>): () => void {
    live.readers += 1;
    if (live.readers === 1 && !live.hasEnded) {
      void live.run.result.then(() => this.#end(key, live));
    }
    return () => {
      live.readers -= 1;
      if (live.readers === 0 && !live.hasEnded && this.#options.onDisconnect === "cancel") {
        live.run.cancel("The client is gone.");
      }
    };
  }

  /** Cancels what is going on, and forgets the rest. */
  async close(): Promise<void> {
    const open = [...this.#runs.values()].filter(({ hasEnded }) => !hasEnded);
    for (const { run } of open) {
      run.cancel("The server is shutting down.");
    }
    await Promise.all(open.map(({ run }) => run.result));
    for (const key of [...this.#runs.keys()]) {
      this.#forget(key);
    }
  }

  #end(key: string, live: LiveRun<Reading>): void {
    if (live.hasEnded) {
      return;
    }
    live.hasEnded = true;
    if (this.#runs.get(key) !== live) {
      return;
    }
    const { clock, keepMs } = this.#options;
    if (keepMs === 0) {
      this.#forget(key);
      return;
    }
    this.#ended.set(
      key,
      clock.startTimer(() => this.#forget(key), keepMs),
    );
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > mostEnded && oldest !== undefined) {
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#ended.get(key)?.();
    this.#ended.delete(key);
    this.#runs.delete(key);
  }
}
