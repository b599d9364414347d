import { expect, test } from "vitest";
import { eventsIn, framesOf } from "../../test/ag-ui-client.ts";
import { add, agentOf, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { agUiInput, auth, jsonOf, listening, serve } from "../../test/server-fixture.ts";
import { memoryRuns } from "../stores/memory-runs.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { defineTool } from "../tool/define-tool.ts";
import { createServer } from "./create-server.ts";

const tester = "/agents/tester/ag-ui";

const busy = { calls: [{ id: "c1", name: "wait", arguments: {} }] };

test("a server that is closed lets a run end, tells it to its reader, and takes nothing new", async () => {
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    inputSchema: { type: "object" },
    execute: async () => {
      entered.resolve();
      await gate.promise;
      return "done";
    },
  });
  await using server = await serve({ model: modelOf(busy, "It is done."), tools: [wait] });
  const reading = server.ask(tester, { body: agUiInput("Wait") }).then(eventsIn);
  await entered.promise;
  const closing = server.server.close();
  const late = await server.server.fetch(
    new Request(`${server.url}/agents`, { headers: { host: "localhost" } }),
  );
  expect(late.status).toBe(503);
  const health = await server.server.fetch(
    new Request(`${server.url}/healthz`, { headers: { host: "localhost" } }),
  );
  expect([health.status, await jsonOf(health)]).toEqual([503, { status: "stopping" }]);
  gate.resolve();
  expect((await reading).at(-1)).toMatchObject({
    type: "RUN_FINISHED",
    outcome: { type: "success" },
  });
  await closing;
  await expect(fetch(server.url)).rejects.toThrow();
});

test("a run that does not end is cancelled when the server closes, and its reader is told", async () => {
  await using server = await serve({ model: modelOf(busy), tools: [neverEnding("wait")] });
  const reading = server.ask(tester, { body: agUiInput("Wait") }).then(eventsIn);
  await expect.poll(async () => (await jsonOf(await server.ask("/runs"))).runs.length).toBe(1);
  await server.server.close({ graceMs: 1 });
  expect((await reading).at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
});

test("a run in a store stays there when the server closes; the next server goes on, and the client reads on", async () => {
  const sessions = memorySessions();
  const store = memoryRuns(); // it stands for one that outlives the process, which this test does not end
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isSecond = false;
  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    inputSchema: { type: "object" },
    idempotent: true,
    execute: async (_, { signal }) => {
      entered.resolve();
      signal.addEventListener("abort", () => gate.resolve());
      await (isSecond ? undefined : gate.promise);
      return "done";
    },
  });
  const serverOf = () => {
    const agent = agentOf({
      model: modelOf(({ messages }) =>
        messages.at(-1)?.role === "tool" ? "It is done." : { text: "Well.", ...busy },
      ),
      tools: [wait, add],
    });
    const server = createServer({
      agents: [agent],
      auth,
      log: "none",
      store,
      sessions,
      recover: true,
      agUi: { onDisconnect: "continue" },
    });
    return listening(server);
  };
  await using first = await serverOf();
  const response = await first.ask(tester, { body: agUiInput("Wait") });
  const seen: { readonly id: string | undefined; readonly type: string }[] = [];
  let runId = "";
  const reading = (async () => {
    for await (const { id, event } of framesOf(response)) {
      seen.push({ id, type: event.type });
      const told = event.metadata?.["dragoman"] as { readonly runId?: string } | undefined; // ours
      runId ||= told?.runId ?? "";
    }
  })();
  const broken = expect(reading).rejects.toThrow();
  await entered.promise;
  await expect.poll(() => seen.map(({ type }) => type)).toContain("TOOL_CALL_END");
  await first.server.close({ graceMs: 1 });
  await broken;
  expect(seen.map(({ type }) => type)).not.toContain("RUN_FINISHED");
  expect(await store.get({ app: "default", id: runId })).toMatchObject({ status: "running" });
  isSecond = true;
  await using second = await serverOf();
  const query = `threadId=thread&runId=wire-1&sourceRunId=${runId}`;
  const headers = { "last-event-id": seen.at(-1)?.id ?? "" };
  const rest = await eventsIn(await second.ask(`${tester}?${query}`, { headers }));
  expect(rest.map(({ type }) => type)).toEqual([
    "TOOL_CALL_RESULT",
    "STEP_FINISHED",
    "STEP_STARTED",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "STEP_FINISHED",
    "RUN_FINISHED",
  ]);
});

test("a server that keeps no conversations takes up no runs", async () => {
  const agents = [agentOf({ model: modelOf("Hi.") })];
  const server = createServer({ agents, log: "none", store: memoryRuns(), recover: true });
  await expect(server.listen()).rejects.toThrow(/needs sessions/);
});
