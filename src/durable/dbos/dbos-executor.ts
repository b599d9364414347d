import { RunError } from "../../agent/run-error.ts";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import { consoleLogger, type Logger } from "../../base/logger.ts";
import { Secret } from "../../base/secret.ts";
import type { Engine, RunMessage } from "../engine.ts";
import { EngineExecutor, type EngineExecutorOptions } from "../engine-executor.ts";
import { type DbosEnqueueOptions, type DbosLogger, type DbosSdk, loadDbos } from "./dbos-sdk.ts";
import { enqueueing, nameOf, registerRunWorkflow } from "./run-workflow.ts";

/** What an executor on DBOS works with. */
export interface DbosExecutorOptions extends EngineExecutorOptions {
  /**
   * The Postgres that DBOS keeps its workflows in, as a connection string; it may be that of the runs.
   * Absent: the application launches DBOS itself, after this, and then calls `begin()`.
   */
  readonly database?: string | Secret;
  /**
   * Which worker this is: the same each time it is started, and another than that of any worker that
   * lives beside it. **DBOS lets a worker take up its own runs only.** Absent, with a `database`: this
   * process executes nothing; it starts, decides and reads.
   */
  readonly executorId?: string;
  /**
   * The version of the agents, where workers of one version must not take up runs of another. Default:
   * one for all, and what a changed agent cannot go on with fails with `step-mismatch`.
   */
  readonly version?: string;
  /** How many runs all workers execute at once. Default: no limit but each one's own. */
  readonly totalConcurrency?: number;
  /** How often a worker looks for runs to execute, in milliseconds. Default 200. */
  readonly pollMs?: number;
}

/** Raised when the steps of our workflow change. */
const defaultVersion = "dragoman-1";

/**
 * Executes runs on [DBOS](https://docs.dbos.dev), which needs nothing but Postgres. Needs
 * `@dbos-inc/dbos-sdk`. A worker that was killed takes its runs up when it is started again under the
 * same `executorId`; another one does not, unless DBOS Conductor or an operator tells it to.
 *
 * DBOS is one for a process. Disposing of the executor shuts it down, if this has launched it.
 *
 * @returns when runs can be started, and this process executes those that it had left behind; where the
 *   application launches DBOS, at once.
 * @throws ConfigurationError `missing-package`; where two agents have one name or are of another
 *   application; where DBOS was launched before. RunError `engine-unavailable`.
 */
export async function dbosExecutor(options: DbosExecutorOptions): Promise<DbosExecutor> {
  const executor = new DbosExecutor(options, await loadDbos());
  try {
    await executor.launch();
    return executor;
  } catch (thrown) {
    await executor[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** See {@link dbosExecutor}. */
export class DbosExecutor extends EngineExecutor {
  readonly #options: DbosExecutorOptions;
  readonly #sdk: DbosSdk;
  readonly #queue: DbosQueue;
  readonly #app: string;
  #end: (() => Promise<void>) | undefined;

  constructor(options: DbosExecutorOptions, sdk: DbosSdk) {
    const queue = new DbosQueue();
    super(options, queue);
    this.#options = options;
    this.#sdk = sdk;
    this.#queue = queue;
    this.#app = options.app ?? "default";
  }

  /** Called by {@link dbosExecutor}. */
  async launch(): Promise<void> {
    const { DBOS, DBOSClient } = this.#sdk;
    const { database, executorId, version, logger = consoleLogger } = this.#options;
    if (database === undefined) {
      refuseAfterLaunch(DBOS);
      registerRunWorkflow(DBOS, this.#app, this.worker);
      return;
    }
    const systemDatabaseUrl = database instanceof Secret ? database.reveal() : database;
    if (executorId === undefined) {
      const about = { systemDatabaseUrl, applicationName: this.#app, logger: toDbosLogger(logger) };
      const client = await DBOSClient.create(about);
      this.#end = () => client.destroy();
      this.#queue.open((given, message) => client.enqueue(given, message));
      return;
    }
    refuseAfterLaunch(DBOS);
    DBOS.setConfig({
      name: this.#app,
      systemDatabaseUrl,
      executorID: executorId,
      applicationVersion: `${this.#app}/${version ?? defaultVersion}`, // unique in the database
      logger: toDbosLogger(logger),
    });
    registerRunWorkflow(DBOS, this.#app, this.worker);
    this.#end = () => DBOS.shutdown({ deregister: true });
    await available(() => DBOS.launch());
    await this.begin();
  }

  /** Begins to execute runs. Only for an application that launches DBOS itself, after it did. */
  async begin(): Promise<void> {
    const { DBOS } = this.#sdk;
    const { concurrency = 64, totalConcurrency, pollMs = 200 } = this.#options;
    await available(() =>
      DBOS.registerQueue(nameOf(this.#app), {
        workerConcurrency: concurrency,
        ...(totalConcurrency === undefined ? {} : { globalConcurrency: totalConcurrency }),
        minPollingIntervalMs: pollMs,
      }),
    );
    this.#queue.open((given, message) => DBOS.enqueueWorkflowWithOptions(given, message));
    this.beginToNotice();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    const end = this.#end;
    this.#end = undefined;
    await end?.();
  }
}

/** Hands messages to DBOS's queue, once there is one. */
class DbosQueue implements Engine {
  #enqueue: ((options: DbosEnqueueOptions, message: RunMessage) => Promise<unknown>) | undefined;

  open(enqueue: (options: DbosEnqueueOptions, message: RunMessage) => Promise<unknown>): void {
    this.#enqueue = enqueue;
  }

  async deliver(message: RunMessage): Promise<void> {
    const enqueue = this.#enqueue;
    if (enqueue === undefined) {
      throw unavailable("DBOS takes no runs yet: call begin() when it was launched.");
    }
    await available(() => enqueue(enqueueing(message), message));
  }
}

async function available<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    // Connection strings are written so, and a password stands in them.
    const reason = messageOf(cause).replace(/\/\/[^\s/@]*@/g, "//");
    throw unavailable(`DBOS cannot be worked with: ${reason}`, cause);
  }
}

function refuseAfterLaunch(dbos: DbosSdk["DBOS"]): void {
  if (dbos.isInitialized()) {
    throw new ConfigurationError(
      "DBOS was launched in this process already: make the executor before, without a database, and call its begin() after DBOS.launch().",
      { code: "invalid-configuration" },
    );
  }
}

const toDbosLogger = (logger: Logger): DbosLogger => {
  const told =
    (level: "debug" | "warn" | "error") =>
    (entry: unknown): void =>
      logger[level](`DBOS: ${entry instanceof Error ? entry.message : String(entry)}`);
  return { info: told("debug"), debug: told("debug"), warn: told("warn"), error: told("error") };
};

const unavailable = (message: string, cause?: unknown): RunError =>
  new RunError(message, { code: "engine-unavailable", cause });
