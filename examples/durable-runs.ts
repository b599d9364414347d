import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDragoman, defineTool, followRun } from "dragoman";
import { openLocalExecutor } from "dragoman/durable";
import { eraseActor, postgresRuns, pruneRuns, sqliteRuns, sqliteSessions } from "dragoman/stores";
import { scriptedModel } from "dragoman/testing";

const folder = await mkdtemp(join(tmpdir(), "dragoman-"));
const file = join(folder, "desk.db");

// A scripted model stands for a real one, so that this example runs without a key.
const model = scriptedModel([
  ({ messages }) =>
    messages.some(({ role }) => role === "tool")
      ? "The refund is on its way."
      : { calls: [{ id: "call_1", name: "refund", arguments: { order: "A7" } }] },
]);

const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  inputSchema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  async execute(_input, { idempotencyKey }) {
    // The same key for each try of this call: a bank that gets it twice pays once.
    console.log("paid, under a key of", idempotencyKey.length > 0 ? "this call" : "nothing");
    return "paid";
  },
});

const runs = sqliteRuns({ file });
const dragoman = createDragoman({ app: "desk", runs });
const desk = dragoman.defineAgent({
  name: "desk",
  model,
  tools: [refund],
  approval: { tools: { refund: "ask" } },
});

const asked = await desk.ask("Refund A7, please.", { actor: "ann" });
console.log("the first process:", asked.status); // suspended; it may end now

// Another process, with the same agent and the same store, a day later:
const done = await desk.resume(asked.runId, {
  actor: "ann",
  decisions: { "approval:call_1": { kind: "approve" } },
});
console.log("the second process:", done.status, done.text);

// Whoever was away reads on after the last event that they have seen.
for await (const event of followRun(runs, { app: "desk", id: asked.runId }, { after: 5 })) {
  if (event.kind === "run-end") {
    console.log("followed to the end:", event.status);
  }
}

const executor = await openLocalExecutor({
  app: "desk",
  store: runs,
  agents: [desk], // it takes up what an earlier process has left behind
  resumeWith: (run) => ({ context: { actor: run.actor } }), // what was not plain data
});
const { runId } = await executor.start("desk", "Refund A7, please.", { actor: "ann" });
const waiting = await executor.result(runId);
console.log("started:", waiting.status, waiting.waitingFor[0]?.id);

await executor.signal(runId, { "approval:call_1": { kind: "deny", reason: "too late" } });
for await (const _ of runs.changes({ app: "desk", id: runId }, AbortSignal.timeout(10_000))) {
  if ((await executor.result(runId)).status === "completed") {
    break;
  }
}
console.log("decided:", (await executor.result(runId)).status);
await executor[Symbol.asyncDispose]();

const month = 30 * 24 * 60 * 60 * 1_000;
await pruneRuns({ app: "desk", olderThanMs: month }, { runs }); // those that have ended
await using sessions = sqliteSessions({ file });
const erased = await eraseActor({ app: "desk", actor: "ann" }, { runs, sessions });
console.log("erased:", erased);
await runs[Symbol.asyncDispose]();

const connectionString = process.env["DATABASE_URL"] ?? "postgres://localhost/desk";
const shared = postgresRuns({ connectionString }); // connects when it is first used
await shared[Symbol.asyncDispose]();

await sessions[Symbol.asyncDispose]();
await rm(folder, { recursive: true });
