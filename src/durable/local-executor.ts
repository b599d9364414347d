import type { Assembly } from "../agent/assembly.ts";
import { cancelKeptRun } from "../agent/cancel-kept-run.ts";
import { decideKeptRun } from "../agent/decide-kept-run.ts";
import { leaveUnread } from "../agent/hosted-run.ts";
import type { Run } from "../agent/run.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { ResumeOptions } from "../agent/run-options.ts";
import { atTheEnd, whileRunning } from "../agent/run-patience.ts";
import { runNotFound } from "../agent/run-refusals.ts";
import type { RunResult } from "../agent/run-result.ts";
import type { NewRun, RunFilter, RunKey, RunRecord, RunStore } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { createId } from "../base/ids.ts";
import { consoleLogger, type Logger } from "../base/logger.ts";
import { sleep } from "../base/sleep.ts";
import { allRuns } from "./all-runs.ts";
import { awaitResult } from "./await-result.ts";
import type { Executor, ResultOptions, StartedRun, StartOptions } from "./executor.ts";
import { isKeptAlready } from "./is-kept-already.ts";
import { KnownAgents } from "./known-agents.ts";
import { newRunOf } from "./new-run.ts";
import { Slots } from "./slots.ts";

/** What a local executor works with. */
export interface LocalExecutorOptions {
  /** Where the runs are kept. The executor does not close it. */
  readonly store: RunStore;
  /** Those whose runs it executes, by their names. */
  readonly agents: readonly Assembly[];
  /** The application's name, as its agents are configured. Default `"default"`. */
  readonly app?: string;
  /** How many runs it executes at once; others wait for their turn. Default 64. */
  readonly concurrency?: number;
  /** What a run that it takes up again is given besides its record, such as its context. */
  readonly resumeWith?: (run: RunRecord) => ResumeOptions | Promise<ResumeOptions>;
  /** Default: warnings and errors on the console's error stream. */
  readonly logger?: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** How a run is taken up. */
interface TakingUp {
  /** How often its store has failed so far. */
  readonly failures: number;
  /** What it has besides its record. */
  readonly options: () => Promise<ResumeOptions>;
}

/** How long decisions of other processes may go unnoticed, besides what the store takes, in milliseconds. */
const lookMs = 200;

/** How long to wait before a run is taken up again whose store has failed, in milliseconds. */
const retryMs = { first: 1_000, longest: 60_000 };

/**
 * Executes runs in this process and, at once, takes up those that an earlier process has left behind:
 * one machine by design. **It takes every run of its application and its agents for its own**, so let
 * there be one executor for a store and an application at a time; two would take runs from each other,
 * and each run would still be recorded once. Runs that wait for somebody go on when a decision arrives,
 * from whatever process, and when their time is over.
 *
 * Disposing of it puts its runs down where they are, for the next executor.
 *
 * @returns when it has found what there is to take up.
 * @throws ConfigurationError where two agents have one name; what the store throws.
 */
export async function openLocalExecutor(options: LocalExecutorOptions): Promise<LocalExecutor> {
  const executor = new LocalExecutor(options);
  await executor.recover();
  return executor;
}

/** See {@link openLocalExecutor}. */
export class LocalExecutor implements Executor {
  readonly #options: LocalExecutorOptions;
  readonly #app: string;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #agents: KnownAgents;
  readonly #slots: Slots;
  /** Runs that it executes, or is about to. */
  readonly #runs = new Map<string, Run | undefined>();
  /** What ends the timers of runs that wait. */
  readonly #timers = new Map<string, () => void>();
  /** Aborts first: what waits for its turn is left to the next executor. */
  readonly #stopping = new AbortController();
  readonly #closing = new AbortController();
  readonly #work = new Set<Promise<void>>();

  constructor(options: LocalExecutorOptions) {
    const { store, app = "default", concurrency = 64, agents } = options;
    checkNumbers({ concurrency }, { concurrency: "count" }, { where: "of the executor" });
    this.#options = options;
    this.#store = store;
    this.#app = app;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? consoleLogger;
    this.#slots = new Slots(concurrency);
    this.#agents = new KnownAgents(agents);
  }

  /** Takes up what was left behind, and goes on to notice what other processes decide. */
  async recover(): Promise<void> {
    for (const run of await this.#all({ status: "running" })) {
      this.#takeUp(run);
    }
    for (const run of await this.#all({ status: "suspended" })) {
      this.#putAside(run);
    }
    this.#begin(this.#watch());
  }

  async start(
    agent: Assembly | string,
    input: RunInput,
    { id = createId("run"), ...options }: StartOptions = {},
  ): Promise<StartedRun> {
    const assembly = this.#agents.demand(agent);
    const run = newRunOf(assembly, input, { ...options, id, app: this.#app });
    this.#stopping.signal.throwIfAborted();
    try {
      await this.#store.create(run, createId("owner"));
    } catch (thrown) {
      if (await isKeptAlready(this.#store, run, thrown)) {
        return { runId: id };
      }
      throw thrown;
    }
    this.#execute(run, { failures: 0, options: async () => options });
    return { runId: id };
  }

  /** Lets the runs that it executes go on, and begins no others. */
  stop(): void {
    this.#stopping.abort("the executor was stopped");
  }

  async signal(
    runId: string,
    decisions: Readonly<Record<string, Decision>>,
    options: { readonly actor?: string } = {},
  ): Promise<void> {
    const key = this.#keyOf(runId, options);
    this.#takeUpIfReady(await decideKeptRun(this.#store, key, decisions, this.#clock));
  }

  async cancel(runId: string, options: { readonly actor?: string } = {}): Promise<void> {
    const key = this.#keyOf(runId, options);
    const run = this.#runs.get(runId);
    if (run === undefined) {
      await cancelKeptRun(this.#store, key, this.#clock);
      this.#stopTimer(runId);
      return;
    }
    if ((await this.#store.get(key)) === undefined) {
      throw runNotFound(runId);
    }
    run.cancel();
    await run.result;
    if ((await this.#store.get(key))?.status === "running") {
      throw new RunError(
        `Run ${runId} was stopped, but its store did not keep that: the next executor would take it up. Cancel it again.`,
        { code: "store-unavailable" },
      );
    }
  }

  result(runId: string, options: ResultOptions = {}): Promise<RunRecord> {
    return awaitResult(this.#store, this.#keyOf(runId, options), options.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    this.#closing.abort("the executor was closed");
    for (const stop of this.#timers.values()) {
      stop();
    }
    await Promise.all([...this.#runs.keys()].map((id) => this.#putDown(id)));
    await Promise.all(this.#work);
  }

  /** Leaves a run to the next executor: what this one still does of it is not recorded. */
  async #putDown(runId: string): Promise<void> {
    try {
      const wait = { signal: this.#closing.signal, clock: this.#clock };
      const taking = this.#store.takeOver(this.#keyOf(runId), createId("owner"));
      await atTheEnd(taking, wait, () => new Error("the store does not answer"));
    } catch {
      // It has ended just now, or its store is away, which leaves it where it is as well.
    }
    this.#runs.get(runId)?.cancel("the executor was closed");
  }

  /** Notices decisions that other processes have made. */
  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        for await (const _ of this.#store.changes({ app: this.#app }, signal)) {
          for (const run of await this.#all({ status: "suspended", ready: true })) {
            this.#takeUpIfReady(run);
          }
          await this.#pause(lookMs);
        }
      } catch (thrown) {
        this.#logger.warn(`The store of runs cannot be watched: ${messageOf(thrown)}`);
        await this.#pause(retryMs.first);
      }
    }
  }

  #takeUpIfReady(run: RunRecord): void {
    if (run.status === "suspended" && run.ready) {
      this.#takeUp(run);
    }
  }

  #takeUp(run: RunRecord): void {
    const { resumeWith } = this.#options;
    this.#execute(run, { failures: 0, options: async () => (await resumeWith?.(run)) ?? {} });
  }

  /** Executes a run that is kept, in its turn, unless it is executed already. */
  #execute(run: NewRun, taking: TakingUp): void {
    const { id, agent } = run;
    const assembly = this.#agents.get(agent);
    if (assembly === undefined || this.#runs.has(id) || this.#stopping.signal.aborted) {
      return;
    }
    this.#stopTimer(id);
    this.#runs.set(id, undefined);
    this.#begin(this.#resume(run, assembly, taking));
  }

  async #resume(run: NewRun, assembly: Assembly, taking: TakingUp): Promise<void> {
    const { id, actor } = run;
    try {
      await this.#slots.take(this.#stopping.signal);
    } catch {
      this.#runs.delete(id);
      return;
    }
    try {
      const given = await taking.options();
      const who = actor === undefined ? {} : { actor };
      const resumed = assembly.resumeStream(id, { ...given, ...who, store: this.#store });
      leaveUnread(resumed);
      this.#runs.set(id, resumed);
      await this.#carry(run, resumed.result, taking);
    } catch (thrown) {
      this.#runs.delete(id);
      this.#logger.error(`Run ${id} cannot be taken up: ${messageOf(thrown)}`);
      if (!ConfigurationError.is(thrown)) {
        this.#retryLater(run, taking);
      }
    } finally {
      this.#slots.release();
    }
  }

  /** Sees a run to where it ends or stands, and looks what is to be done then. Never rejects. */
  async #carry(run: NewRun, ending: Promise<RunResult>, taking: TakingUp): Promise<void> {
    const result = await ending;
    this.#runs.delete(run.id);
    try {
      const found = await this.#read(run.id);
      if (found?.status === "suspended") {
        this.#putAside(found);
        return;
      }
    } catch {
      // It is taken up again below, or by the next executor.
    }
    if (result.status === "failed" && isStoreFailure(result.error.code)) {
      this.#retryLater(run, taking);
    }
  }

  #retryLater(run: NewRun, { failures, options }: TakingUp): void {
    const { id } = run;
    const delayMs = Math.min(retryMs.first * 2 ** failures, retryMs.longest);
    const next: TakingUp = { failures: failures + 1, options };
    this.#startTimer(id, delayMs, async () => {
      try {
        const found = await this.#read(id);
        if (found?.status === "running") {
          this.#execute(run, next);
        }
      } catch {
        this.#retryLater(run, next);
      }
    });
  }

  /** A run that waits goes on when it was decided meanwhile, or when its time is over. */
  #putAside(run: RunRecord): void {
    const expiries = run.waitingFor.flatMap(({ expiresAt }) => expiresAt ?? []);
    if (run.ready) {
      this.#takeUp(run);
    } else if (expiries.length > 0) {
      const delayMs = Math.max(0, Math.min(...expiries) - this.#clock.now());
      this.#startTimer(run.id, delayMs, async () => this.#takeUp(run));
    }
  }

  #startTimer(id: string, delayMs: number, work: () => Promise<void>): void {
    this.#stopTimer(id);
    if (!this.#closing.signal.aborted) {
      const stop = this.#clock.startTimer(() => {
        this.#timers.delete(id);
        this.#begin(work());
      }, delayMs);
      this.#timers.set(id, stop);
    }
  }

  #stopTimer(id: string): void {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
  }

  #begin(work: Promise<void>): void {
    const one: Promise<void> = work.finally(() => this.#work.delete(one));
    this.#work.add(one);
  }

  async #pause(durationMs: number): Promise<void> {
    // It only ends early where the executor is closed, which whoever pauses looks for.
    await sleep(this.#clock, durationMs, this.#closing.signal).catch(() => {});
  }

  #all(filter: Pick<RunFilter, "status" | "ready">): Promise<readonly RunRecord[]> {
    return allRuns(this.#store, { ...filter, app: this.#app }, this.#closing.signal);
  }

  /** No longer than the executor is open. */
  #read(id: string): Promise<RunRecord | undefined> {
    return whileRunning(this.#closing.signal, () => this.#store.get(this.#keyOf(id)));
  }

  #keyOf(id: string, { actor }: { readonly actor?: string } = {}): RunKey {
    return { app: this.#app, id, ...(actor === undefined ? {} : { actor }) };
  }
}

const isStoreFailure = (code: string): boolean => /^store-|^artifact-store-/.test(code);
