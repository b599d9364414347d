import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Agent } from "../src/agent/agent.ts";
import type { RunStore } from "../src/agent/run-store.ts";
import { memoryRuns } from "../src/stores/memory-runs.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import { sqliteRuns } from "../src/stores/sqlite-runs.ts";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import { createBenchAgent } from "./durable-agent.ts";
import { findPostgres } from "./find-postgres.ts";
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
  const agent = createBenchAgent(turns);
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
