import "./peers-of-e2e.ts";
import { once } from "node:events";
import { createServer as createHttp1 } from "node:http";
import { createServer } from "node:http2";
import { toNodeListener } from "../src/ag-ui/to-node-listener.ts";
import type { Assembly } from "../src/agent/assembly.ts";
import type { Decision } from "../src/agent/waiting.ts";
import { silentLogger } from "../src/base/logger.ts";
import { Secret } from "../src/base/secret.ts";
import { dbosExecutor } from "../src/durable/dbos/dbos-executor.ts";
import type { EngineExecutorOptions, EngineStartOptions } from "../src/durable/engine-executor.ts";
import type { Executor } from "../src/durable/executor.ts";
import { openLocalExecutor } from "../src/durable/local-executor.ts";
import { restateExecutor } from "../src/durable/restate/restate-executor.ts";
import { type DurableAgentOptions, durableAgent, secret } from "./durable-agent.ts";
import { durableCrew } from "./durable-crew.ts";
import { openStoreAt, type StorePlace } from "./durable-worker.ts";

/** What a worker is told, as JSON in its first argument. */
export interface EngineWorkerOptions extends DurableAgentOptions {
  readonly app: string;
  readonly place: StorePlace;
  readonly on: WorkerEngine;
}

/** What a worker executes on. */
export type WorkerEngine =
  | { readonly kind: "local" }
  | {
      readonly kind: "restate";
      readonly ingress: string;
      readonly identityKey: string;
      /** Absent: it executes nothing. */
      readonly port?: number;
      /** Whether it serves a function from request to response, over HTTP/1.1. */
      readonly fetches?: boolean;
    }
  | {
      readonly kind: "dbos";
      readonly database: string;
      /** Absent: it executes nothing. */
      readonly executorId?: string;
      /** Whether the application launches DBOS, as one does that has workflows of its own. */
      readonly ownLaunch?: boolean;
    };

/** What a worker is asked to do, over the channel between it and its parent. */
export type WorkerTask =
  | { readonly do: "start"; readonly agent: string; readonly options?: EngineStartOptions }
  | { readonly do: "signal"; readonly runId: string; readonly decisions: Record<string, Decision> }
  | { readonly do: "cancel" | "result"; readonly runId: string }
  | { readonly do: "close" };

/** What it answers. */
export type WorkerAnswer = { readonly value: unknown } | { readonly error: { code?: string } };

const options = JSON.parse(process.argv[2] ?? "{}") as EngineWorkerOptions;
const store = openStoreAt(options.place);
const agents: readonly Assembly[] = [durableAgent(options), durableCrew(options)];
const stack = new AsyncDisposableStack();
stack.use(store);
const executor = await openExecutor();

process.on("message", async ({ id, task }: { id: number; task: WorkerTask }) => {
  const answer = await perform(task).then(
    (value): WorkerAnswer => ({ value: value ?? null }),
    (error): WorkerAnswer => ({ error: { code: error?.code, ...{ message: String(error) } } }),
  );
  process.send?.({ id, answer }, () => {
    if (task.do === "close") {
      process.disconnect();
    }
  });
});
// Where its parent is gone, since a test took too long, nobody else would end it.
let isClosing = false;
process.on("disconnect", () => isClosing || process.exit(1));
process.send?.("ready");

async function openExecutor(): Promise<Executor> {
  const { app, on } = options;
  const resumeWith = () => ({ context: { token: secret } });
  const common = { app, store, agents, resumeWith, logger: silentLogger, drainMs: 0 };
  switch (on.kind) {
    case "local":
      return stack.use(await openLocalExecutor(common));
    case "dbos":
      return on.ownLaunch ? launchOwn(on, common) : stack.use(await openDbos(on, common));
    case "restate":
      return openRestate(on, common);
  }
}

type Of<Kind> = Extract<WorkerEngine, { readonly kind: Kind }>;

function openDbos({ database, executorId }: Of<"dbos">, common: EngineExecutorOptions) {
  const who = executorId === undefined ? {} : { executorId };
  return dbosExecutor({ ...common, database: new Secret(database), ...who, pollMs: 50 });
}

async function launchOwn(on: Of<"dbos">, common: EngineExecutorOptions): Promise<Executor> {
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  DBOS.setConfig({
    name: options.app,
    systemDatabaseUrl: on.database,
    executorID: on.executorId ?? "own",
    applicationVersion: options.app,
    logLevel: "error",
  });
  stack.defer(() => DBOS.shutdown());
  const made = stack.use(await dbosExecutor(common));
  await DBOS.launch();
  await made.begin();
  return made;
}

async function openRestate(on: Of<"restate">, common: EngineExecutorOptions): Promise<Executor> {
  const { ingress, identityKey, port, fetches = false } = on;
  const identityKeys = [identityKey];
  const made = restateExecutor({ ...common, ingress, identityKeys, service: options.app });
  if (port !== undefined) {
    const server = fetches
      ? createHttp1(
          toNodeListener(Object.assign(await made.fetchHandler(), { close: async () => {} })),
        )
      : createServer(await made.listener());
    server.listen({ port, host: "127.0.0.1", reusePort: true });
    await once(server, "listening");
    stack.defer(() => void server.close());
  }
  return stack.use(made);
}

async function perform(task: WorkerTask): Promise<unknown> {
  switch (task.do) {
    case "start":
      return (await executor.start(task.agent, "Book a seat", { actor: "ann", ...task.options }))
        .runId;
    case "signal":
      return executor.signal(task.runId, task.decisions, { actor: "ann" });
    case "cancel":
      return executor.cancel(task.runId, { actor: "ann" });
    case "result":
      return executor.result(task.runId, { actor: "ann" });
    case "close":
      isClosing = true;
      return stack[Symbol.asyncDispose]();
  }
}
