import { expect, test } from "vitest";
import { key, owner, run, suspended } from "../../test/run-fixture.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import { type Logger, silentLogger } from "../base/logger.ts";
import { WatchedRuns } from "./watched-runs.ts";

/** Tells of changes that are none as well, as a database does. */
class Restless extends MemoryRunStore {
  looks = 0;

  override get(...given: Parameters<MemoryRunStore["get"]>): ReturnType<MemoryRunStore["get"]> {
    this.looks += 1;
    return super.get(...given);
  }

  override async *changes(...given: Parameters<MemoryRunStore["changes"]>): AsyncGenerator<void> {
    for await (const _ of super.changes(...given)) {
      yield;
      yield;
      yield;
    }
  }
}

const { app } = key;

test("a run that waits for somebody is told of once, and again when it has ended", async () => {
  const runs = new Restless();
  await runs.create(run, owner);
  const told: string[] = [];
  const report = async ({ status }: { status: string }): Promise<void> => void told.push(status);
  const watched = new WatchedRuns({ app, runs, logger: silentLogger, report });
  const settled = watched.watch(key.id);
  await runs.write(key, owner, suspended("a"));
  expect(await settled).toMatchObject({ status: "suspended" });
  await expect.poll(() => runs.looks).toBeGreaterThanOrEqual(3);
  await watched.idle();
  await runs.write(key, owner, { status: "cancelled", waitingFor: [], events: [end(3)] });
  await expect.poll(() => told).toEqual(["suspended", "cancelled"]);
  await watched.close();
});

test("a run that cannot be seen is given up, and one that is not there", async () => {
  const lines: string[] = [];
  const logger: Logger = { ...silentLogger, error: (line) => void lines.push(line) };
  class Away extends MemoryRunStore {
    override get(): Promise<never> {
      return Promise.reject(new Error("away"));
    }
  }
  const away = new WatchedRuns({ app, runs: new Away(), logger, report: undefined });
  expect(await away.watch("r")).toBeUndefined();
  expect(lines).toEqual(["Run r cannot be watched: away"]);
  const empty = new WatchedRuns({ app, runs: new MemoryRunStore(), logger, report: undefined });
  expect(await empty.watch("r")).toBeUndefined();
  await Promise.all([away.idle(), empty.idle(), away.close(), empty.close()]);
});

test("of more runs that wait for somebody than are watched, the oldest is left, and the log says so", async () => {
  const runs = new MemoryRunStore();
  const lines: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (line) => void lines.push(line) };
  const report = async (): Promise<void> => {};
  const watched = new WatchedRuns({ app, runs, logger, report });
  for (let index = 0; index <= 1_000; index += 1) {
    const id = `r${index}`;
    await runs.create({ ...run, id }, owner);
    await runs.write({ app, id }, owner, suspended("a"));
    await watched.watch(id);
    await watched.idle();
  }
  await expect.poll(() => lines).toEqual([expect.stringContaining("the end of r0 will not")]);
  await watched.close();
});

const end = (sequence: number) =>
  ({
    kind: "run-end",
    status: "cancelled",
    text: "",
    usage: { inputTokens: 0, outputTokens: 0 },
    runId: key.id,
    sequence,
    time: 1,
    agentPath: ["tester"],
  }) as const;
