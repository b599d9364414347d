import { termsBeforeBeginning } from "../agent/accepted-run.ts";
import type { Assembly } from "../agent/assembly.ts";
import { cancelKeptRun } from "../agent/cancel-kept-run.ts";
import type { ResumeOptions } from "../agent/run-options.ts";
import { whileRunning } from "../agent/run-patience.ts";
import { hasEnded } from "../agent/run-refusals.ts";
import type { RunResult } from "../agent/run-result.ts";
import type { RunKey, RunRecord, RunStore } from "../agent/run-store.ts";
import type { Clock } from "../base/clock.ts";
import { ConfigurationError, DragomanError, messageOf } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";
import { sleep } from "../base/sleep.ts";
import type { RunMessage, Standing } from "./engine.ts";
import type { KnownAgents } from "./known-agents.ts";
import { revocableStore } from "./revocable-store.ts";
import { Slots } from "./slots.ts";

/** What a worker works with. */
export interface RunWorkerOptions {
  readonly store: RunStore;
  readonly app: string;
  readonly agents: KnownAgents;
  readonly concurrency: number;
  /** How long runs may go on when the worker is closed, in milliseconds. */
  readonly drainMs: number;
  readonly resumeWith: ((run: RunRecord) => ResumeOptions | Promise<ResumeOptions>) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long it may take until a run that was cancelled elsewhere is stopped, besides what its store takes. */
const lookMs = 250;

const shutdown: Standing = { kind: "again", code: "shutdown" };

/** An execution in this process. */
interface Execution {
  readonly standing: Promise<Standing>;
  /** Stops it and leaves the run to another worker. */
  putDown(): void;
}

/**
 * Executes runs for an engine, each to where it ends or waits for somebody. The engine says when, and
 * says it again where this process has died; the run's store knows what was done.
 */
export class RunWorker {
  readonly #options: RunWorkerOptions;
  readonly #slots: Slots;
  readonly #executions = new Map<string, Execution>();
  readonly #closing = new AbortController();

  constructor(options: RunWorkerOptions) {
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * Carries a run on as far as it goes. Never rejects. What this process executes already, for an attempt
   * that the engine has given up, is waited for and not begun twice.
   *
   * @param attempt aborts where the engine does not want the answer any more; a run that has not got its
   *   turn by then is left to the next attempt.
   */
  execute(message: RunMessage, attempt?: AbortSignal): Promise<Standing> {
    const { runId } = message;
    if (this.isClosing) {
      return Promise.resolve(shutdown);
    }
    const known = this.#executions.get(runId);
    if (known !== undefined) {
      return known.standing;
    }
    const stopping = new AbortController();
    const lent = revocableStore(this.#options.store);
    const standing = this.#inTurn(message, { store: lent.store, stopping, attempt }).finally(() => {
      this.#executions.delete(runId);
      stopping.abort();
    });
    const putDown = (): void => {
      lent.revoke();
      stopping.abort("the worker was closed");
    };
    this.#executions.set(runId, { standing, putDown });
    return standing;
  }

  /** Ends a run as cancelled, if it has not ended; where this process executes it, at once. */
  async cancel(runId: string): Promise<void> {
    const { store, app, clock } = this.#options;
    const run = await store.get({ app, id: runId });
    if (run !== undefined && !hasEnded(run.status)) {
      await cancelKeptRun(store, { app, id: runId }, clock);
    }
    await this.#executions.get(runId)?.standing;
  }

  /** Takes no more runs, lets those that it executes go on for a while, and leaves the rest to others. */
  async close(): Promise<void> {
    this.#closing.abort();
    const { clock, drainMs } = this.#options;
    const ended = Promise.all([...this.#executions.values()].map(({ standing }) => standing));
    const drained = new AbortController();
    const isOver = sleep(clock, drainMs, drained.signal).catch(() => {}); // ends early where all have ended
    await Promise.race([ended, isOver]);
    drained.abort();
    for (const execution of this.#executions.values()) {
      execution.putDown();
    }
    await ended;
  }

  async #inTurn(message: RunMessage, terms: ExecutionTerms): Promise<Standing> {
    const { signal } = this.#closing;
    try {
      const { attempt } = terms;
      await this.#slots.take(attempt === undefined ? signal : AbortSignal.any([signal, attempt]));
    } catch {
      return shutdown;
    }
    try {
      return await this.#goOn(message, terms);
    } catch (thrown) {
      if (this.isClosing) {
        return shutdown;
      }
      const { logger } = this.#options;
      const report = ConfigurationError.is(thrown) ? logger.error : logger.warn;
      report.call(logger, `Run ${message.runId} cannot be carried on now: ${messageOf(thrown)}`);
      return { kind: "again", code: DragomanError.is(thrown) ? thrown.code : "failed" };
    } finally {
      this.#slots.release();
    }
  }

  async #goOn(message: RunMessage, terms: ExecutionTerms): Promise<Standing> {
    const key = this.#keyOf(message);
    const { signal } = terms.stopping;
    const read = () => whileRunning(signal, () => this.#options.store.get(key));
    for (let current = message; ; ) {
      const run = await read();
      const standing = this.#standingOf(run, current);
      if (run === undefined || standing !== undefined) {
        return standing ?? { kind: "settled" };
      }
      const result = await this.#perform(run, terms);
      const after = await read();
      const isUnchanged = after?.status === "suspended" && after.sequence === run.sequence;
      if (after?.status === "running" || isUnchanged) {
        return this.#unrecorded(run, result);
      }
      // What was decided meanwhile lets it go on at once.
      current = { ...message, because: "go", stand: after?.sequence ?? 0 };
    }
  }

  /** How a run stands that is not to be executed now; `undefined` for one that is. */
  #standingOf(run: RunRecord | undefined, { because, stand }: RunMessage): Standing | undefined {
    if (run === undefined || hasEnded(run.status)) {
      return { kind: "settled" };
    }
    if (run.status === "running") {
      return because === "expiry" ? { kind: "settled" } : undefined;
    }
    const expiries = run.waitingFor.flatMap(({ expiresAt }) => expiresAt ?? []);
    const expiresAt = Math.min(...expiries);
    const isOver = expiresAt <= this.#options.clock.now();
    if (because === "expiry" && (run.sequence !== stand || run.ready)) {
      return { kind: "settled" }; // it goes on, or has gone on, for another reason
    }
    return run.ready || isOver
      ? undefined
      : { kind: "waiting", stand: run.sequence, ...(expiries.length === 0 ? {} : { expiresAt }) };
  }

  async #perform(run: RunRecord, { store, stopping }: ExecutionTerms): Promise<RunResult> {
    const assembly = this.#assemblyOf(run);
    const given = await this.#options.resumeWith?.(run);
    const terms = run.sequence === 0 ? await termsBeforeBeginning(store, run) : undefined;
    const cancelled = new AbortController();
    const signals = [stopping.signal, cancelled.signal, ...(given?.signal ? [given.signal] : [])];
    const looking = new AbortController();
    const looks = this.#watch(run, cancelled, looking.signal);
    try {
      return await assembly.resume(run.id, {
        ...(terms?.trace === undefined ? {} : { trace: terms.trace }),
        ...given,
        ...(run.actor === undefined ? {} : { actor: run.actor }),
        store,
        signal: AbortSignal.any(signals),
      });
    } finally {
      looking.abort();
      await looks;
    }
  }

  /** Stops what is under way of a run that was cancelled, or erased, by whatever process. */
  async #watch(run: RunRecord, cancelled: AbortController, looking: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    const key = this.#keyOf({ runId: run.id });
    try {
      for await (const _ of store.changes(key, looking)) {
        const now = await whileRunning(looking, () => store.get(key));
        if (now === undefined || hasEnded(now.status)) {
          cancelled.abort("cancelled");
        }
        await sleep(clock, lookMs, looking);
      }
    } catch {
      // It has ended, or its store is away, which the next step meets as well.
    }
  }

  #assemblyOf({ id, agent }: RunRecord): Assembly {
    const assembly = this.#options.agents.get(agent);
    if (assembly === undefined) {
      const names = this.#options.agents.names.map((one) => `"${one}"`).join(", ") || "none";
      throw new ConfigurationError(
        `This worker does not know the agent "${agent}" of run ${id}; it was given: ${names}. Give all workers the same agents.`,
        { code: "invalid-configuration" },
      );
    }
    return assembly;
  }

  /** What is to be done with a run whose execution has ended and was not recorded. */
  #unrecorded({ id }: RunRecord, result: RunResult): Standing {
    const code = result.status === "failed" ? result.error.code : result.status;
    if (this.isClosing) {
      return shutdown;
    }
    if (code === "run-lost") {
      return { kind: "settled" }; // whoever has taken it over carries it on
    }
    this.#options.logger.warn(`Run ${id} is to be taken up again: ${code}.`);
    return { kind: "again", code };
  }

  #keyOf({ runId }: Pick<RunMessage, "runId">): RunKey {
    return { app: this.#options.app, id: runId };
  }
}

/** What one execution works with. */
interface ExecutionTerms {
  readonly store: RunStore;
  readonly stopping: AbortController;
  readonly attempt: AbortSignal | undefined;
}
