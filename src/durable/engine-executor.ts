import { acceptRun, type RunTerms } from "../agent/accepted-run.ts";
import type { Assembly } from "../agent/assembly.ts";
import { cancelKeptRun } from "../agent/cancel-kept-run.ts";
import { decideKeptRun } from "../agent/decide-kept-run.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { ResumeOptions } from "../agent/run-options.ts";
import { hasEnded, runNotFound } from "../agent/run-refusals.ts";
import type { RunKey, RunRecord, RunStore } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { createId } from "../base/ids.ts";
import { consoleLogger, type Logger } from "../base/logger.ts";
import { awaitResult } from "./await-result.ts";
import type { Engine } from "./engine.ts";
import type { Executor, ResultOptions, StartedRun, StartOptions } from "./executor.ts";
import { isKeptAlready } from "./is-kept-already.ts";
import { KnownAgents } from "./known-agents.ts";
import { newRunOf } from "./new-run.ts";
import { RunNotice } from "./run-notice.ts";
import { RunWorker } from "./run-worker.ts";

/** What every executor on an engine works with. */
export interface EngineExecutorOptions {
  /**
   * Where the runs are kept: what they have done, said and wait for. All workers and all who start or
   * decide share it, so on several machines it is on Postgres. The executor does not close it.
   */
  readonly store: RunStore;
  /** Those whose runs are started and executed, by their names; the same in every process. */
  readonly agents: readonly Assembly[];
  /** The application's name, as its agents are configured. Default `"default"`. */
  readonly app?: string;
  /** How many runs this process executes at once; others wait for their turn. Default 64. */
  readonly concurrency?: number;
  /** How long runs may go on when the executor is closed, before others take them, in milliseconds. Default 5 000. */
  readonly drainMs?: number;
  /** What a run is executed with besides its record, such as its context: it is not kept. */
  readonly resumeWith?: (run: RunRecord) => ResumeOptions | Promise<ResumeOptions>;
  /** Default: warnings and errors on the console's error stream. */
  readonly logger?: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** What a run may be started with where another process executes it: plain data, which is kept with the run. */
export interface EngineStartOptions
  extends Pick<StartOptions, "id" | "actor" | "timeoutMs" | "limits" | "trace"> {
  /** The conversation that the run goes on with, in the store that its agent is configured with. */
  readonly session?: { readonly id: string };
}

const startOptionNames: Readonly<Record<keyof EngineStartOptions, true>> = {
  id: true,
  actor: true,
  timeoutMs: true,
  limits: true,
  trace: true,
  session: true,
};

/** Executes runs on an engine that others run: see `restateExecutor` and `dbosExecutor`. */
export class EngineExecutor implements Executor {
  /** Executes runs in this process, when the engine says so. */
  protected readonly worker: RunWorker;
  readonly #app: string;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #agents: KnownAgents;
  readonly #notice: RunNotice;
  readonly #engine: Engine;

  /** @throws ConfigurationError where two agents have one name, or are of another application. */
  constructor(options: EngineExecutorOptions, engine: Engine) {
    const { store, app = "default", clock = systemClock, logger = consoleLogger } = options;
    const { resumeWith, concurrency = 64, drainMs = 5_000 } = options;
    const rules = { concurrency: "count", drainMs: "milliseconds-or-0" } as const;
    checkNumbers({ concurrency, drainMs }, rules, { where: "of the executor" });
    const agents = new KnownAgents(options.agents);
    agents.checkApplication(app);
    this.#app = app;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#agents = agents;
    this.#engine = engine;
    const common = { store, app, clock, logger };
    this.worker = new RunWorker({ ...common, agents, concurrency, drainMs, resumeWith });
    this.#notice = new RunNotice({ ...common, deliver: (message) => engine.deliver(message) });
  }

  /**
   * Keeps a run and hands it to the engine: it is executed where a worker is free.
   *
   * @throws RunError `engine-unavailable`, and then there is no such run; ConfigurationError for an agent
   *   that is not known, and for an option that is not plain data: `resumeWith` gives what is not.
   */
  async start(
    agent: Assembly | string,
    input: RunInput,
    options: EngineStartOptions = {},
  ): Promise<StartedRun> {
    refuseOtherOptions(options);
    const { id = createId("run"), ...others } = options;
    const app = this.#app;
    const run = newRunOf(this.#agents.demand(agent), input, { ...others, id, app });
    let isNew = true;
    try {
      await acceptRun(this.#store, run, this.#termsOf(options));
    } catch (thrown) {
      if (!(await isKeptAlready(this.#store, run, thrown))) {
        throw thrown;
      }
      isNew = false; // whoever has started it may have died before the engine knew
    }
    try {
      await this.#engine.deliver({ app, runId: id, stand: 0, because: "go" }, options.trace);
    } catch (thrown) {
      if (isNew) {
        await this.#store.delete(this.#keyOf(id)).catch(() => {}); // the first failure is the one to tell
      }
      throw thrown;
    }
    return { runId: id };
  }

  async signal(
    runId: string,
    decisions: Readonly<Record<string, Decision>>,
    options: { readonly actor?: string } = {},
  ): Promise<void> {
    const key = this.#keyOf(runId, options);
    const decided = await decideKeptRun(this.#store, key, decisions, this.#clock);
    if (decided.status === "suspended" && decided.ready) {
      await this.#tell(decided);
    }
  }

  /** Ends a run as cancelled, at once; a call that is under way is told to stop. */
  async cancel(runId: string, options: { readonly actor?: string } = {}): Promise<void> {
    await cancelKeptRun(this.#store, this.#keyOf(runId, options), this.#clock);
  }

  async result(runId: string, options: ResultOptions = {}): Promise<RunRecord> {
    return awaitResult(this.#store, this.#keyOf(runId, options), options.signal);
  }

  /**
   * Hands a run to the engine that it does not know: one that was begun by `ask`, or by an executor that
   * is gone. **Only where nobody executes it any more**; else it is taken away from whoever does. Nothing
   * happens with one that has ended, or waits for somebody who has not decided.
   *
   * @throws RunError `run-not-found`, `engine-unavailable`.
   */
  async takeUp(runId: string, options: { readonly actor?: string } = {}): Promise<void> {
    const run = await this.#store.get(this.#keyOf(runId, options));
    if (run === undefined) {
      throw runNotFound(runId);
    }
    if (!hasEnded(run.status) && (run.status === "running" || run.ready)) {
      const { app, id, sequence } = run;
      const token = createId("again"); // one that was handed over before may have come to nothing
      await this.#engine.deliver({ app, runId: id, stand: sequence, because: "go", token });
    }
  }

  /** Takes no more runs, and leaves to other workers what does not end within `drainMs`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#notice.close(), this.worker.close()]);
  }

  /** Begins to notice what other processes decide. */
  protected beginToNotice(): void {
    this.#notice.begin();
  }

  /** The decision is kept: where the engine cannot be told now, a worker notices it later. */
  async #tell({ app, id, sequence }: RunRecord): Promise<void> {
    try {
      await this.#engine.deliver({ app, runId: id, stand: sequence, because: "go" });
    } catch (thrown) {
      this.#logger.warn(`Run ${id} was decided and goes on later: ${messageOf(thrown)}`);
    }
  }

  #termsOf({ timeoutMs, limits, trace }: EngineStartOptions): RunTerms {
    const hasDeadline = timeoutMs !== undefined && Number.isFinite(timeoutMs); // JSON has no Infinity
    return {
      ...(hasDeadline ? { timeoutMs, deadline: this.#clock.now() + timeoutMs } : {}),
      ...(limits === undefined ? {} : { limits }),
      ...(trace === undefined ? {} : { trace }),
    };
  }

  #keyOf(id: string, { actor }: { readonly actor?: string } = {}): RunKey {
    return { app: this.#app, id, ...(actor === undefined ? {} : { actor }) };
  }
}

/** @throws ConfigurationError that says where it is to be given instead. */
function refuseOtherOptions(options: EngineStartOptions): void {
  const other = Object.keys(options).find((name) => !Object.hasOwn(startOptionNames, name));
  if (other !== undefined) {
    throw new ConfigurationError(
      `The option "${other}" cannot be given to a run that another process executes; allowed are: ${Object.keys(startOptionNames).join(", ")}. Give it by resumeWith, where the run is executed.`,
      { code: "invalid-configuration" },
    );
  }
}
