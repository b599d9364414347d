import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DbosSdk } from "../src/durable/dbos/dbos-sdk.ts";
import type { RestateFetchSdk, RestateSdk } from "../src/durable/restate/restate-sdk.ts";
import { checkEvents } from "./check-events.ts";
import { secret } from "./durable-agent.ts";
import { type EngineWorker, EngineWorld, type ExecutorKind, type Servers } from "./engine-world.ts";
import { startPostgres } from "./postgres-server.ts";
import { startRestate } from "./restate-server.ts";

const kinds: readonly ExecutorKind[] = ["local on SQLite", "local on Postgres", "Restate", "DBOS"];

const engines = ["Restate", "DBOS"] as const;

const stack = new AsyncDisposableStack();
let servers: Servers;

beforeAll(async () => {
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "dragoman-engines-")), (path) =>
    rmSync(path, { recursive: true }),
  );
  const [postgres, restate] = await Promise.all([startPostgres(), startRestate()]);
  servers = { folder, postgres: stack.use(postgres), restate: stack.use(restate) };
  // DBOS makes its tables with the first start, and not if two start at a time.
  await using world = newWorld("DBOS");
  await world.worker();
});

afterAll(() => stack.disposeAsync());

/** In milliseconds. Each test starts up to three workers, on a machine that may be busy. */
const timeout = 120_000;

let counter = 0;

function newWorld(kind: ExecutorKind): EngineWorld {
  counter += 1;
  return new EngineWorld(kind, `engines_${counter}`, servers);
}

const all = { model1: 1, model2: 1, model3: 1, reserve: 1, lookup: 1, charge: 1 };

const approve = { "approval:charge": { kind: "approve" } } as const;

describe.concurrent.each(kinds)("on %s", { timeout }, (kind) => {
  const isLocal = kind.startsWith("local");

  test("after kill -9 in the middle of a step, what had finished is not done again, events come once, and calls side by side keep their order", async () => {
    await using world = newWorld(kind);
    const first = await world.worker({ killWithin: "model2" });
    const runId = await first.start();
    expect(await first.exit).toBe("SIGKILL");
    expect(await world.run(runId)).toMatchObject({ status: "running" });
    const second = await world.worker();
    expect(await second.result(runId)).toMatchObject({ status: "completed", text: "I think 3." });
    expect(world.counts).toEqual({ ...all, model2: 2 });
    const asked = world.effects.filter((effect) => effect.startsWith("model2"));
    expect(asked).toEqual(["model2 reserve,lookup", "model2 reserve,lookup"]);
    const events = await world.events(runId);
    checkEvents(events);
    expect(events.map((event) => event.kind)).toContain("run-resume");
  });

  test("what a person approves across kill -9 happens once, and no secret is in the journal", async () => {
    await using world = newWorld(kind);
    const first = await world.worker({ asks: true });
    const runId = await first.start();
    expect(await first.result(runId)).toMatchObject({
      status: "suspended",
      waitingFor: [{ kind: "approval", id: "approval:charge" }],
    });
    await first.kill();
    // As the command line does it, while nobody is there to execute.
    await world.store.decide({ app: world.app, id: runId, actor: "ann" }, approve);
    const second = await world.worker({ asks: true });
    expect(await second.result(runId)).toMatchObject({ status: "completed" });
    expect(world.counts).toEqual(all);
    expect(world.effects.filter((effect) => effect.includes(" false"))).toEqual([]); // it had the secret
    checkEvents(await world.events(runId));
    const journal = await world.journal();
    expect(journal).toContain(runId); // it would be found
    expect(journal).not.toContain(secret);
    // What was asked is in the runs' store, where it can be erased, and not in the engine's.
    if (!isLocal) {
      expect(journal).not.toContain("Book a seat");
    }
  });

  test("a run that is cancelled stops the call that is under way, and takes no further step", async () => {
    await using world = newWorld(kind);
    const worker = await world.worker({ staysWithin: "charge" });
    const runId = await worker.start();
    await world.noted("charge");
    const other = isLocal ? worker : await world.worker({ executes: false });
    await other.ask({ do: "cancel", runId });
    expect(await other.result(runId)).toMatchObject({ status: "cancelled" });
    await world.noted("stopped-charge");
    await expect(other.ask({ do: "cancel", runId })).rejects.toMatchObject({
      code: "run-finished",
    });
    expect(world.counts["model3"]).toBeUndefined();
    expect((await world.events(runId)).at(-1)).toMatchObject({
      kind: "run-end",
      status: "cancelled",
    });
  });

  test("a run whose agent takes other steps now fails with step-mismatch", async () => {
    await using world = newWorld(kind);
    const first = await world.worker({ killWithin: "model3" });
    const runId = await first.start();
    expect(await first.exit).toBe("SIGKILL");
    const second = await world.worker({ changed: true });
    const run = await second.result(runId);
    expect(run).toMatchObject({ status: "failed", error: { code: "step-mismatch" } });
    expect(run.error?.message).toMatch(/has taken the step "tool:/);
    expect(world.counts).toEqual(all);
  });

  test("an assembly goes on where it was, and asks nobody again who has answered", async () => {
    await using world = newWorld(kind);
    const first = await world.worker({ killWithin: "model2" });
    const runId = await first.start("crew");
    expect(await first.exit).toBe("SIGKILL");
    const second = await world.worker();
    expect(await second.result(runId)).toMatchObject({ status: "completed", text: "Written." });
    expect(world.counts).toEqual({ first: 1, second: 2 });
    checkEvents(await world.events(runId));
  });

  test("a run goes on when the time to decide is over", async () => {
    await using world = newWorld(kind);
    const worker = await world.worker({ asks: true, decideWithinMs: 700 });
    const runId = await worker.start();
    await world.ended(runId);
    expect(await world.run(runId)).toMatchObject({ status: "completed" });
    expect(world.counts["charge"]).toBeUndefined();
    expect(world.counts["model3"]).toBe(1);
  });
});

/** A run that stays in its second model call, and the worker that it stays in. */
async function staying(world: EngineWorld): Promise<{ runId: string; worker: EngineWorker }> {
  const worker = await world.worker({ id: "a", staysWithin: "model2" });
  const runId = await worker.start();
  await world.noted("model2");
  return { runId, worker };
}

describe.concurrent("on engines", { timeout }, () => {
  test("Restate gives the run of a dead worker to another one", async () => {
    await using world = newWorld("Restate");
    const { runId, worker } = await staying(world);
    const other = await world.worker({ id: "b" });
    await worker.kill();
    expect(await other.result(runId)).toMatchObject({ status: "completed" });
    expect(world.counts).toEqual({ ...all, model2: 2 });
    checkEvents(await world.events(runId));
  });

  test("DBOS leaves the run of a dead worker until one of the same id is there", async () => {
    await using world = newWorld("DBOS");
    const { runId, worker } = await staying(world);
    const other = await world.worker({ id: "b" });
    await worker.kill();
    const second = await other.start();
    expect(await other.result(second)).toMatchObject({ status: "completed" }); // it does work
    expect(await world.run(runId)).toMatchObject({ status: "running" });
    expect(world.counts).toEqual({ ...all, model1: 2, model2: 2, reserve: 2, lookup: 2 });
    const again = await world.worker({ id: "a" });
    expect(await again.result(runId)).toMatchObject({ status: "completed" });
    expect(world.counts).toEqual({
      model1: 2,
      model2: 3,
      model3: 2,
      reserve: 2,
      lookup: 2,
      charge: 2,
    });
    checkEvents(await world.events(runId));
  });

  test("DBOS gives the run of a dead worker to another one where an operator says so", async () => {
    await using world = newWorld("DBOS");
    const { runId, worker } = await staying(world);
    const other = await world.worker({ id: "b" });
    await worker.kill();
    await world.resumeInEngine(runId);
    expect(await other.result(runId)).toMatchObject({ status: "completed" });
    expect(world.counts).toEqual({ ...all, model2: 2 });
  });

  test.each(engines)("the other way to make a worker of %s is as good", async (kind) => {
    await using world = newWorld(kind);
    const worker = await world.worker({ asks: true, otherWay: true });
    const runId = await worker.start();
    expect(await worker.result(runId)).toMatchObject({ status: "suspended" });
    await worker.ask({ do: "signal", runId, decisions: approve });
    await world.ended(runId);
    await worker.ask({ do: "close" });
    expect(await worker.exit).toBe(null);
    expect(world.counts).toEqual(all);
    checkEvents(await world.events(runId));
  });

  test.each(engines)(
    "a worker of %s that is shut down puts its run down where it is",
    async (kind) => {
      await using world = newWorld(kind);
      const { runId, worker } = await staying(world);
      await worker.ask({ do: "close" });
      expect(await worker.exit).toBe(null); // it has ended by itself
      expect(world.counts["stopped-model2"]).toBe(1);
      expect(await world.run(runId)).toMatchObject({ status: "running" });
      const next = await world.worker();
      expect(await next.result(runId)).toMatchObject({ status: "completed" });
      expect(world.counts).toEqual({ ...all, model2: 2, "stopped-model2": 1 });
      checkEvents(await world.events(runId));
    },
  );

  test.each(engines)(
    "on %s a process that executes nothing starts and decides, and others execute",
    async (kind) => {
      await using world = newWorld(kind);
      await world.worker({ asks: true });
      const client = await world.worker({ asks: true, executes: false });
      const runId = await client.start();
      expect(await client.result(runId)).toMatchObject({ status: "suspended" });
      await client.ask({ do: "signal", runId, decisions: approve });
      await expect(client.ask({ do: "signal", runId, decisions: approve })).rejects.toMatchObject({
        code: "decision-refused",
      });
      await world.ended(runId);
      expect(await world.run(runId)).toMatchObject({ status: "completed" });
      expect(world.counts).toEqual(all);
      const [first] = await world.events(runId);
      expect(first).toMatchObject({ kind: "run-start", sequence: 1 });
    },
  );

  test.each(engines)("on %s a deadline holds across kill -9", async (kind) => {
    await using world = newWorld(kind);
    const first = await world.worker({ killWithin: "model1" });
    const runId = await first.start("clerk", { timeoutMs: 6_000 });
    expect(await first.exit).toBe("SIGKILL");
    const second = await world.worker({ staysWithin: "model2" }); // for ever, were there no deadline
    const run = await second.result(runId);
    expect(run).toMatchObject({ status: "failed", error: { code: "deadline-exceeded" } });
  });

  test.each(engines)("what an operator cancels in %s is cancelled here", async (kind) => {
    await using world = newWorld(kind);
    const { runId, worker } = await staying(world);
    await world.cancelInEngine(runId);
    expect(await worker.result(runId)).toMatchObject({ status: "cancelled" });
    await world.noted("stopped-model2");
  });
});

test("a run goes on when Restate is killed and started again, and Restate takes no run while it is away", async () => {
  await using world = newWorld("Restate");
  const { runId, worker } = await staying(world);
  await servers.restate.kill();
  try {
    await expect(worker.start()).rejects.toMatchObject({ code: "engine-unavailable" });
    expect((await world.store.list({ app: world.app })).runs.map(({ id }) => id)).toEqual([runId]);
  } finally {
    await servers.restate.start();
  }
  await worker.kill();
  const next = await world.worker();
  expect(await next.result(runId)).toMatchObject({ status: "completed" });
  expect(world.counts).toEqual({ ...all, model2: 2 });
});

test("a worker executes for nobody whose requests are not signed", async () => {
  await using world = newWorld("Restate");
  await world.worker();
  const session = connect(world.address);
  const request = session.request({ ":path": "/discover" });
  const [headers] = (await once(request, "response")) as [Record<string, unknown>]; // as http2 says
  expect(headers[":status"]).toBe(401);
  session.destroy();
  await once(session, "close");
});

test("what our sources say of the engines' packages is what those are", async () => {
  const dbos: DbosSdk = await import("@dbos-inc/dbos-sdk");
  const restate: RestateSdk = await import("@restatedev/restate-sdk");
  const restateFetch: RestateFetchSdk = await import("@restatedev/restate-sdk/fetch");
  expect([dbos, restate, restateFetch].map((sdk) => typeof sdk)).not.toContain("undefined");
});
