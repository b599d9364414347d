import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { RunStore } from "../src/agent/run-store.ts";
import { silentLogger } from "../src/base/logger.ts";
import { dbosExecutor } from "../src/durable/dbos/dbos-executor.ts";
import type { Executor } from "../src/durable/executor.ts";
import { openLocalExecutor } from "../src/durable/local-executor.ts";
import { restateExecutor } from "../src/durable/restate/restate-executor.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import { createBenchAgent } from "./durable-agent.ts";
import { findPostgres } from "./find-postgres.ts";
import { measureInterleaved, ratioOfMedians, summarize } from "./statistics.ts";

/** What an engine adds to a run, and to each of its steps. */
export const benchmark: Benchmark = {
  description:
    "Wall clock from start to result of a run of 3 steps, and of each step more (from a run of 43), kept in Postgres and executed by the local executor, on Restate and on DBOS (pollMs 50), with one worker, one run at a time. Needs what e2e has installed (npm ci there).",
  async run() {
    const peers = join(import.meta.dirname, "../e2e/node_modules/@restatedev");
    if (!existsSync(peers)) {
      return { table: [["engines"], ["not measured: npm ci in e2e installs them"]], claims: [] };
    }
    await import("../e2e/peers-of-e2e.ts");
    await using stack = new AsyncDisposableStack();
    return await measure(await openAll(stack));
  },
};

const short = { name: "short", turns: 1, steps: 3 };
const long = { name: "long", turns: 21, steps: 43 };
const runsPerRound = 4;
const rounds = 5;

/** A step is to take less than this many times what it takes without the engine, which is not asked for it. */
const targetRatio = 1.5;

type Executors = readonly (readonly [string, Executor])[];

async function openAll(stack: AsyncDisposableStack): Promise<Executors> {
  const postgres = stack.use(await findPostgres());
  if (postgres === undefined) {
    throw new Error("There is no Postgres: npm ci in e2e installs one.");
  }
  const store: RunStore = stack.use(postgresRuns({ connectionString: postgres.url }));
  const agents = [short, long].map(({ name, turns }) => createBenchAgent(turns, name));
  // They may share the store: none of these runs waits or is left behind, so none is taken up by another.
  const common = { app: "bench", agents, logger: silentLogger, store };
  const database = postgres.url;
  const local = stack.use(await openLocalExecutor(common));
  const dbos = stack.use(await dbosExecutor({ ...common, database, executorId: "a", pollMs: 50 }));
  const { startRestate } = await import("../e2e/restate-server.ts");
  const server = stack.use(await startRestate());
  const { ingress, identityKey } = server;
  const restate = restateExecutor({ ...common, ingress, identityKeys: [identityKey] });
  const listener = createServer(await restate.listener()).listen(0, "127.0.0.1");
  stack.defer(() => void listener.close());
  stack.use(restate);
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo; // a TCP server's address is an object
  await server.register(`http://127.0.0.1:${port}`);
  return [
    ["local", local],
    ["Restate", restate],
    ["DBOS", dbos],
  ];
}

async function measure(executors: Executors): Promise<BenchmarkReport> {
  const names = executors.flatMap(([name]) => [`${name} short`, `${name} long`]);
  const costs = await measureInterleaved(names, rounds, (wanted) => {
    const [name, length] = wanted.split(" ");
    const executor = executors.find(([one]) => one === name)?.[1];
    return msPerRun(executor, length ?? "");
  });
  const of = (name: string): readonly number[] => costs[name] ?? [];
  const perStep = (name: string): readonly number[] => {
    const begin = of(`${name} short`);
    return of(`${name} long`).map(
      (ms, round) => (ms - (begin[round] ?? 0)) / (long.steps - short.steps),
    );
  };
  const rows = executors.map(([name]) => [
    name,
    summarize(of(`${name} short`)).median.toFixed(1),
    summarize(of(`${name} long`)).median.toFixed(1),
    summarize(perStep(name)).median.toFixed(2),
    ratioOfMedians(perStep(name), perStep("local")).toFixed(2),
  ]);
  return {
    table: [["executor", "ms, 3 steps", "ms, 43 steps", "ms a step", "of local"], ...rows],
    claims: ["Restate", "DBOS"].map((name) => {
      const ratio = ratioOfMedians(perStep(name), perStep("local"));
      return {
        text: `a step on ${name} takes less than ${targetRatio} times what it takes without an engine: ${ratio.toFixed(2)}`,
        holds: ratio < targetRatio,
      };
    }),
  };
}

async function msPerRun(executor: Executor | undefined, agent: string): Promise<number> {
  const before = performance.now();
  for (let run = 0; run < runsPerRound; run += 1) {
    const started = await executor?.start(agent, "Go");
    const result = await executor?.result(started?.runId ?? "");
    if (result?.status !== "completed") {
      throw new Error(`A run ended as ${result?.status}.`);
    }
  }
  return (performance.now() - before) / runsPerRound;
}
