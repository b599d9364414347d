import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunResult } from "../src/agent/run-result.ts";
import type { RunRecord, RunStore } from "../src/agent/run-store.ts";
import { checkEvents } from "./check-events.ts";
import { durableAgent, type KillWithin, secret } from "./durable-agent.ts";
import { openStoreAt, type StorePlace, type WorkerOptions } from "./durable-worker.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

const worker = fileURLToPath(new URL("durable-worker.ts", import.meta.url));
const cli = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));

let folder: string;
let server: PostgresServer;
let counter = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-crash-"));
  server = await startPostgres();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function runNode(...args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout, stderr };
}

const work = (options: WorkerOptions): Promise<Outcome> => runNode(worker, JSON.stringify(options));

/** A place of its own for a run, and the file that its effects are counted in. */
function newPlace(kind: StorePlace["kind"]): { place: StorePlace; effects: string; name: string } {
  counter += 1;
  const name = `crash_${counter}`;
  const effects = join(folder, `${name}.effects`);
  writeFileSync(effects, "");
  return kind === "sqlite"
    ? { place: { kind, file: join(folder, `${name}.db`) }, effects, name }
    : { place: { kind, url: server.url(), schema: name }, effects, name };
}

const effectsIn = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

/** The one run that is kept there; `undefined` where its process ended before it was. */
async function runIn(store: RunStore): Promise<RunRecord | undefined> {
  return (await store.list({ app: "crash" })).runs[0];
}

const effectOf: Readonly<Record<string, string>> = {
  "model#1": "model1",
  "model#2": "model2",
  "model#3": "model3",
  "tool:reserve#reserve": "reserve",
  "tool:lookup#lookup": "lookup",
  "tool:charge#charge": "charge",
};

/** Resumes in this process until the run has ended; says yes to what is in doubt. */
async function bringToEnd(
  store: RunStore,
  { id, decisions }: { readonly id: string; readonly decisions?: RunRecord["decisions"] },
  effects: string,
  asks = false,
): Promise<RunResult> {
  const result = await durableAgent({ effects, asks }).resume(id, {
    store,
    actor: "ann",
    ...(decisions === undefined ? {} : { decisions }),
  });
  if (result.status !== "suspended") {
    return result;
  }
  const yes = { kind: "approve" } as const;
  const all = Object.fromEntries(result.waitingFor.map((waiting) => [waiting.id, yes]));
  expect(result.waitingFor.map(({ kind }) => kind)).toEqual(["confirm-retry"]);
  return bringToEnd(store, { id, decisions: all }, effects, asks);
}

const count = (list: readonly string[], name: string): number =>
  list.filter((effect) => effect.split(" ")[0] === name).length;

/** All that the database holds, its log included. */
async function bytesOf(place: StorePlace): Promise<string> {
  if (place.kind === "sqlite") {
    return readdirSync(folder)
      .filter((name) => join(folder, name).startsWith(place.file))
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join();
  }
  const tables = ["runs", "run_steps", "run_events"];
  const rows = await Promise.all(
    tables.map((table) => server.query(`SELECT t::text AS row FROM ${place.schema}.${table} t`)),
  );
  return JSON.stringify(rows);
}

/** Kills a worker, brings its run to its end, and looks whether all is as it would have been. */
async function survive(
  kind: StorePlace["kind"],
  kill: Pick<WorkerOptions, "killAtWrite" | "killWithin">,
): Promise<"killed" | "ended"> {
  const { place, effects } = newPlace(kind);
  const outcome = await work({ place, effects, ...kill });
  expect(outcome.stderr.replace(/.*(ExperimentalWarning|--trace-warnings).*\n/g, "")).toBe("");
  if (outcome.signal === null) {
    expect(JSON.parse(outcome.stdout)).toMatchObject({ status: "completed" });
    return "ended";
  }
  expect(outcome.signal).toBe("SIGKILL");
  const before = effectsIn(effects);
  await using store = openStoreAt(place);
  const run = await runIn(store);
  expect(run).toMatchObject({ status: "running", actor: "ann" });
  const id = run?.id ?? "";
  const key = { app: "crash", id };
  const done = (await store.steps(key)).filter((step) => step.kind === "finished");
  expect(await bytesOf(place)).not.toContain(secret);
  const result = await bringToEnd(store, { id }, effects);
  expect(result).toMatchObject({ status: "completed", text: "I think 3.", steps: 3 });
  const after = effectsIn(effects);
  for (const { key: step } of done) {
    const effect = effectOf[step];
    if (effect !== undefined) {
      expect([step, count(after, effect)]).toEqual([step, count(before, effect)]);
      expect(count(before, effect)).toBe(1);
    }
  }
  for (const effect of Object.values(effectOf)) {
    expect(count(after, effect)).toBeGreaterThanOrEqual(1);
    expect(count(after, effect)).toBeLessThanOrEqual(2);
    expect(new Set(after.filter((one) => one.startsWith(effect))).size).toBe(1); // one key
  }
  expect(await store.get(key)).toMatchObject({ status: "completed", text: "I think 3." });
  checkEvents(await store.events(key));
  const bytes = await bytesOf(place);
  expect(bytes).toContain("Book a seat"); // it would be found
  expect(bytes).not.toContain(secret);
  return "killed";
}

test("no secret stands in the write-ahead log of Postgres", async () => {
  expect(await survive("postgres", { killWithin: "charge" })).toBe("killed");
  const log = await server.writeAheadLog();
  expect(log).toContain("Book a seat"); // it would be found
  expect(log).not.toContain(secret);
});

const steps: readonly KillWithin[] = ["model1", "reserve", "lookup", "model2", "charge", "model3"];

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  test.concurrent.each(steps)("a run survives kill -9 in the middle of %s", async (killWithin) => {
    expect(await survive(kind, { killWithin })).toBe("killed");
  });

  // A run makes eight writes at least, and some more where its machine is slow; the last one ends it.
  // Before a write the world is as after the one before, but for the effects that it was to tell of.
  const whens = kind === "sqlite" ? (["before", "after"] as const) : (["after"] as const);
  const boundaries = [1, 2, 3, 4, 5, 6, 7].flatMap((count) =>
    whens.map((when) => ({ count, when })),
  );
  test.concurrent.each(boundaries)(
    "a run survives kill -9 $when write $count",
    async (killAtWrite) => {
      expect(await survive(kind, { killAtWrite })).toBe("killed");
    },
  );

  test("what is approved from another process, across a kill, happens once; of two who decide at once one is told", async () => {
    const { place, effects } = newPlace(kind);
    const first = await work({ place, effects, asks: true });
    const { runId, status } = JSON.parse(first.stdout) as { runId: string; status: string };
    expect(status).toBe("suspended");
    if (place.kind === "postgres") {
      return await approveThroughStores(place, runId, effects);
    }
    const common = [runId, "--store", place.file, "--app", "crash", "--json"];
    const eve = await runNode(cli, "runs", "approve", ...common, "--actor", "eve");
    expect(JSON.parse(eve.stdout)).toMatchObject({ error: { code: "run-not-found" } });
    const both = await Promise.all([
      runNode(cli, "runs", "approve", ...common, "--actor", "ann"),
      runNode(cli, "runs", "approve", ...common, "--actor", "ann"),
    ]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    const refused = both.find(({ code }) => code === 2);
    expect(refused?.stdout).toMatch(/decision-refused|waits for no decision/);
    // Killed once more, right after it has charged.
    const killed = await work({ place, effects, asks: true, runId, killWithin: "model3" });
    expect(killed.signal).toBe("SIGKILL");
    await using store = openStoreAt(place);
    const result = await bringToEnd(store, { id: runId }, effects, true);
    expect(result).toMatchObject({ status: "completed" });
    expect(count(effectsIn(effects), "charge")).toBe(1);
    checkEvents(await store.events({ app: "crash", id: runId }));
  });

  test("an agent that was changed is told which step it does not take any more", async () => {
    const { place, effects } = newPlace(kind);
    await work({ place, effects, killWithin: "charge" });
    await using store = openStoreAt(place);
    const run = await runIn(store);
    const changed = durableAgent({ effects, changed: true });
    const result = await changed.resume(run?.id ?? "", { store, actor: "ann" });
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "step-mismatch", message: expect.stringContaining('"tool:') },
    });
  });
});

/** The same by two stores of their own, since the command line knows one schema only. */
async function approveThroughStores(
  place: StorePlace,
  runId: string,
  effects: string,
): Promise<void> {
  await using left = openStoreAt(place);
  await using right = openStoreAt(place);
  const key = { app: "crash", id: runId };
  const decision = { "approval:charge": { kind: "approve" } } as const;
  const outcomes = await Promise.allSettled([
    left.decide({ ...key, actor: "eve" }, decision),
    left.decide({ ...key, actor: "ann" }, decision),
    right.decide({ ...key, actor: "ann" }, decision),
  ]);
  expect(outcomes[0]).toMatchObject({ reason: { code: "run-not-found" } });
  expect(outcomes.slice(1).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(outcomes.slice(1).find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "decision-refused" },
  });
  const killed = await work({ place, effects, asks: true, runId, killWithin: "model3" });
  expect(killed.signal).toBe("SIGKILL");
  expect(await bringToEnd(left, { id: runId }, effects, true)).toMatchObject({
    status: "completed",
  });
  expect(count(effectsIn(effects), "charge")).toBe(1);
  checkEvents(await left.events(key));
}
