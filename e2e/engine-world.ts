import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { followRun } from "../src/agent/follow-run.ts";
import type { RunEvent } from "../src/agent/run-event.ts";
import type { RunRecord, RunStore } from "../src/agent/run-store.ts";
import type { EngineStartOptions } from "../src/durable/engine-executor.ts";
import type { DurableAgentOptions } from "./durable-agent.ts";
import { openStoreAt, type StorePlace } from "./durable-worker.ts";
import type {
  EngineWorkerOptions,
  WorkerAnswer,
  WorkerEngine,
  WorkerTask,
} from "./engine-worker.ts";
import { freePort } from "./free-port.ts";
import type { PostgresServer } from "./postgres-server.ts";
import type { RestateServer } from "./restate-server.ts";

/** What runs are executed by: ours, with its two stores, and those on engines. */
export type ExecutorKind = "local on SQLite" | "local on Postgres" | "Restate" | "DBOS";

/** What all tests of an executor share. */
export interface Servers {
  readonly folder: string;
  readonly postgres: PostgresServer;
  readonly restate: RestateServer;
}

/** How one worker is made. */
export interface WorkerChoice extends Omit<DurableAgentOptions, "effects" | "app"> {
  /** Which of several workers that live at a time it is. Default `"a"`. */
  readonly id?: string;
  /** Whether it executes runs, or only starts and decides. Default true. */
  readonly executes?: boolean;
  /** The other way to make a worker: of Restate by `fetchHandler`, of DBOS where the application launches it. */
  readonly otherWay?: boolean;
}

const program = fileURLToPath(new URL("engine-worker.ts", import.meta.url));

/** An application of its own on one kind of executor: its runs, its workers, what they have done. */
export class EngineWorld implements AsyncDisposable {
  readonly app: string;
  readonly store: RunStore;
  readonly #kind: ExecutorKind;
  readonly #servers: Servers;
  readonly #place: StorePlace;
  readonly #effects: string;
  readonly #workers: EngineWorker[] = [];
  #port: number | undefined;

  constructor(kind: ExecutorKind, app: string, servers: Servers) {
    this.app = app;
    this.#kind = kind;
    this.#servers = servers;
    this.#effects = join(servers.folder, `${app}.effects`);
    writeFileSync(this.#effects, "");
    this.#place =
      kind === "local on SQLite"
        ? { kind: "sqlite", file: join(servers.folder, `${app}.db`) }
        : { kind: "postgres", url: servers.postgres.url(), schema: "engine_runs" };
    this.store = openStoreAt(this.#place);
  }

  /** Starts a worker; resolves when it takes runs. */
  async worker(choice: WorkerChoice = {}): Promise<EngineWorker> {
    const { id = "a", executes = true, otherWay = false, ...agent } = choice;
    const on = await this.#engine(id, executes, otherWay);
    const { app } = this;
    const options: EngineWorkerOptions = {
      ...agent,
      app,
      effects: this.#effects,
      place: this.#place,
      on,
    };
    const worker = new EngineWorker(options);
    this.#workers.push(worker);
    await worker.ready;
    if (on.kind === "restate" && on.port !== undefined) {
      await this.#servers.restate.register(this.address, otherWay);
    }
    return worker;
  }

  /** Where its workers serve Restate. */
  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What was done, in order. */
  get effects(): readonly string[] {
    return readFileSync(this.#effects, "utf8").split("\n").filter(Boolean);
  }

  /** Waits until something was done; a file tells nobody, so it looks again and again. */
  async noted(effect: string): Promise<void> {
    while (this.counts[effect] === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Waits until a run has ended, whatever it waits for meanwhile. */
  async ended(id: string): Promise<void> {
    for await (const { kind } of followRun(this.store, { app: this.app, id })) {
      if (kind === "run-end") {
        return;
      }
    }
  }

  /** How often each thing was done. */
  get counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const effect of this.effects) {
      const [name = ""] = effect.split(" ");
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  run(id: string): Promise<RunRecord | undefined> {
    return this.store.get({ app: this.app, id });
  }

  events(id: string): Promise<readonly RunEvent[]> {
    return this.store.events({ app: this.app, id });
  }

  /** Cancels what the engine executes of a run, as its own console does. */
  async cancelInEngine(runId: string): Promise<void> {
    const { restate } = this.#servers;
    if (this.#kind === "Restate") {
      const where = `target_service_key = '${runId}' AND status <> 'completed'`;
      const [found] = await restate.query(`SELECT id FROM sys_invocation WHERE ${where}`);
      await restate.cancel(String(found?.["id"]));
      return;
    }
    await this.#operate((client) => client.cancelWorkflow(`${runId}@0`));
  }

  /** Gives what a dead worker of DBOS has left of a run to whoever is there. */
  async resumeInEngine(runId: string): Promise<void> {
    await this.#operate((client) => client.resumeWorkflow(`${runId}@0`));
  }

  async #operate(work: (client: DBOSClient) => Promise<unknown>): Promise<void> {
    const systemDatabaseUrl = this.#servers.postgres.url();
    const client = await DBOSClient.create({ systemDatabaseUrl, applicationName: this.app });
    await work(client);
    await client.destroy();
  }

  /** All that is kept of runs by whoever executes them. */
  async journal(): Promise<string> {
    const { postgres, restate } = this.#servers;
    switch (this.#kind) {
      case "local on SQLite":
        return readFileSync(
          `${this.#place.kind === "sqlite" ? this.#place.file : ""}-wal`,
          "latin1",
        );
      case "local on Postgres":
        return postgres.writeAheadLog();
      case "Restate": {
        const tables = ["sys_invocation", "sys_journal", "sys_journal_events", "state"];
        const rows = await Promise.all(
          tables.map((table) => restate.query(`SELECT * FROM ${table}`)),
        );
        return JSON.stringify(rows) + (await restate.bytes());
      }
      case "DBOS": {
        const tables = await postgres.query(
          "SELECT table_name FROM information_schema.tables WHERE table_schema = 'dbos'",
        );
        const rows = await Promise.all(
          tables.map(({ table_name }) =>
            postgres.query(`SELECT t::text AS row FROM dbos.${table_name} t`),
          ),
        );
        return JSON.stringify(rows);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    await this.store[Symbol.asyncDispose]();
  }

  async #engine(id: string, executes: boolean, otherWay: boolean): Promise<WorkerEngine> {
    const { restate, postgres } = this.#servers;
    switch (this.#kind) {
      case "Restate": {
        const { ingress, identityKey } = restate;
        this.#port ??= await freePort(); // one address for all, as behind a load balancer
        const where = executes ? { port: this.#port, fetches: otherWay } : {};
        return { kind: "restate", ingress, identityKey, ...where };
      }
      case "DBOS": {
        const executorId = `${this.app}-${id}`;
        const who = executes ? { executorId, ownLaunch: otherWay } : {};
        return { kind: "dbos", database: postgres.url(), ...who };
      }
      default:
        return { kind: "local" };
    }
  }
}

/** A process that executes runs, and does what it is asked to. */
export class EngineWorker {
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (answer: WorkerAnswer) => void>();
  readonly #exit: Promise<string | null>;
  #said = "";
  #count = 0;

  constructor(options: EngineWorkerOptions) {
    const child = fork(program, [JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
      });
    }
    this.#exit = once(child, "exit").then(([, signal]) => signal as string | null);
    this.ready = new Promise((resolve, reject) => {
      child.once("exit", () => reject(new Error(`A worker did not start:\n${this.#said}`)));
      child.on("message", (message: "ready" | { id: number; answer: WorkerAnswer }) => {
        if (message === "ready") {
          resolve();
        } else {
          this.#answers.get(message.id)?.(message.answer);
        }
      });
    });
  }

  /** @throws whatever the worker's executor has thrown, with its code. */
  async ask(task: WorkerTask): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    const answer = await new Promise<WorkerAnswer>((resolve, reject) => {
      this.#answers.set(id, resolve);
      this.#child.once("exit", () => reject(new Error(`The worker has ended:\n${this.#said}`)));
      this.#child.send({ id, task });
    });
    this.#answers.delete(id);
    if ("error" in answer) {
      throw Object.assign(new Error("The worker refused."), answer.error);
    }
    return answer.value;
  }

  async start(agent = "clerk", options?: EngineStartOptions): Promise<string> {
    return (await this.ask({ do: "start", agent, ...(options && { options }) })) as string; // a run's id
  }

  async result(runId: string): Promise<RunRecord> {
    return (await this.ask({ do: "result", runId })) as RunRecord; // as the executor says
  }

  /** The signal that has ended it; waits for its end. */
  get exit(): Promise<string | null> {
    return this.#exit;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
