import { once } from "node:events";
import { createServer } from "node:http2";
import { createDragoman, defineTool, followRun, Secret } from "dragoman";
import { type DbosExecutor, dbosExecutor } from "dragoman/durable/dbos";
import { restateExecutor } from "dragoman/durable/restate";
import { memoryRuns, postgresRuns } from "dragoman/stores";
import { scriptedModel } from "dragoman/testing";

const databaseUrl = process.env["DATABASE_URL"];
const restateUrl = process.env["RESTATE_INGRESS"];

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
  execute: () => "paid",
});

// desk.ts, which every process imports: nothing in it knows of an engine.
const runs =
  databaseUrl === undefined ? memoryRuns() : postgresRuns({ connectionString: databaseUrl });
const dragoman = createDragoman({ app: "desk", runs });
const desk = dragoman.defineAgent({
  name: "desk",
  model,
  tools: [refund],
  approval: { tools: { refund: "ask" } },
});

const onRestate = restateExecutor({
  app: "desk",
  store: runs,
  agents: [desk],
  ingress: restateUrl ?? "http://127.0.0.1:8080",
  identityKeys: process.env["RESTATE_IDENTITY"]?.split(",") ?? [],
  resumeWith: (run) => ({ context: { actor: run.actor } }), // what was not plain data
});

/** A worker: Restate calls it at the address that was registered. */
async function workOnRestate(): Promise<void> {
  const server = createServer(await onRestate.listener()).listen(9080);
  await once(process, "SIGTERM");
  await onRestate[Symbol.asyncDispose](); // what has not ended in five seconds goes to other workers
  server.close();
}

/** A worker that takes its runs from Postgres. */
function workOnDbos(database: Secret, executorId: string): Promise<DbosExecutor> {
  return dbosExecutor({ app: "desk", store: runs, agents: [desk], database, executorId });
}

/** What any process does: the web server, a script, the worker itself. */
async function askOnRestate(): Promise<void> {
  const { runId } = await onRestate.start("desk", "Refund A7, please.", {
    actor: "ann",
    timeoutMs: 60 * 60 * 1_000,
  });
  const waiting = await onRestate.result(runId); // it waits for an approval
  console.log(waiting.status, waiting.waitingFor[0]?.id);
  await onRestate.signal(runId, { "approval:call_1": { kind: "approve" } }, { actor: "ann" });
  for await (const event of followRun(runs, { app: "desk", id: runId })) {
    console.log(event.kind);
  }
}

console.log("the agent alone:", (await desk.ask("Refund A7, please.")).status);
if (restateUrl === undefined) {
  console.log("on Restate: set RESTATE_INGRESS, and DATABASE_URL");
} else if (process.argv.includes("--work")) {
  await workOnRestate();
} else {
  await askOnRestate();
}
if (databaseUrl === undefined) {
  console.log("on DBOS: set DATABASE_URL");
} else if (process.argv.includes("--dbos")) {
  await using executor = await workOnDbos(new Secret(databaseUrl), "desk-0");
  const { runId } = await executor.start(desk, "Refund A7, please.");
  console.log("on DBOS:", (await executor.result(runId)).status);
}
await runs[Symbol.asyncDispose]();
