import { expect, test } from "vitest";
import { eventsIn, textIn } from "../../test/ag-ui-client.ts";
import { interruptsIn } from "../../test/ag-ui-desk.ts";
import { add, agentOf, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { agUiInput, jsonOf, serve, type TestServer } from "../../test/server-fixture.ts";
import type { RunRecord } from "../agent/run-store.ts";
import { silentLogger } from "../base/logger.ts";
import { createDragoman } from "../configure.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { createServer } from "./create-server.ts";

const calls = { calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }] };

/** Asks for a sum, and tells it. */
const summing = () =>
  modelOf(({ messages }) => (messages.at(-1)?.role === "tool" ? "It is three." : calls));

/** Asks a person before it adds. */
const cautious = () => ({ model: summing(), tools: [add], approval: { default: "ask" } }) as const;

const tester = "/agents/tester/ag-ui";

async function onlyRun(server: TestServer, as = "ada"): Promise<RunRecord> {
  const { runs } = await jsonOf(await server.ask("/runs", { as }));
  expect(runs).toHaveLength(1);
  return runs[0];
}

test("G-A7: agents are listed, and each is asked over AG-UI as its caller, with the caller's context", async () => {
  const seen: unknown[] = [];
  await using server = await serve({
    model: modelOf("Hello."),
    description: "Greets.",
    instructions: ({ run }) => {
      seen.push(run.actor, run.context);
      return "Greet.";
    },
  });
  expect(await jsonOf(await server.ask("/agents"))).toEqual([
    { name: "tester", description: "Greets.", agUi: tester },
  ]);
  const response = await server.ask(tester, { body: agUiInput("Hi") });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(textIn(await eventsIn(response))).toBe("Hello.");
  expect(seen).toEqual(["ada", { of: "ada" }]);
});

test("runs are listed and shown, with their events as JSON and as a stream that can be read on", async () => {
  await using server = await serve({ model: summing(), tools: [add] });
  await eventsIn(await server.ask(tester, { body: agUiInput("1 + 2?") }));
  const run = await onlyRun(server);
  expect(run).toMatchObject({ agent: "tester", actor: "ada", status: "completed" });
  const { events } = await jsonOf(await server.ask(`/runs/${run.id}/events`));
  expect(events[0].kind).toBe("run-start");
  expect(events.at(-1)).toMatchObject({ kind: "run-end", text: "It is three." });
  const middle = events[Math.floor(events.length / 2)].sequence;
  const after = await jsonOf(await server.ask(`/runs/${run.id}/events?after=${middle}`));
  expect(after.events).toEqual(
    events.filter(({ sequence }: { readonly sequence: number }) => sequence > middle),
  );
  const headers = { accept: "text/event-stream", "last-event-id": String(middle) };
  const stream = await server.ask(`/runs/${run.id}/events`, { headers });
  const frames = (await stream.text()).trim().split("\n\n");
  expect(frames.map((frame) => JSON.parse(frame.replace(/^id: \d+\ndata: /, "")))).toEqual(
    after.events,
  );
  const bad = await server.ask("/runs?status=lost");
  expect([bad.status, (await jsonOf(bad)).error.code]).toEqual([400, "invalid-input"]);
});

test("a run that waits is approved over HTTP and goes on, and is approved once", async () => {
  await using server = await serve(cautious());
  const asked = await eventsIn(await server.ask(tester, { body: agUiInput("1 + 2?") }));
  expect(interruptsIn(asked)).toHaveLength(1);
  const { id, waitingFor } = await onlyRun(server);
  expect(waitingFor).toHaveLength(1);
  const wrong = await server.ask(`/runs/${id}/approve`, { body: { ids: ["approval:other"] } });
  expect([wrong.status, (await jsonOf(wrong)).error.code]).toEqual([409, "conflict"]);
  const approved = await server.ask(`/runs/${id}/approve`, { body: {} });
  expect(approved.status).toBe(202);
  await expect.poll(async () => (await onlyRun(server)).text).toBe("It is three.");
  const again = await server.ask(`/runs/${id}/approve`, { body: {} });
  expect([again.status, (await jsonOf(again)).error.code]).toEqual([409, "conflict"]);
});

test("a run that waits is denied with a reason, which the model reads", async () => {
  const read: string[] = [];
  const model = modelOf(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== "tool") {
      return calls;
    }
    read.push(JSON.stringify(last));
    return "Then not.";
  });
  await using server = await serve({ ...cautious(), model });
  await eventsIn(await server.ask(tester, { body: agUiInput("1 + 2?") }));
  const { id, waitingFor } = await onlyRun(server);
  const decisions = { [waitingFor[0]?.id ?? ""]: { kind: "deny", reason: "Too dear." } };
  const response = await server.ask(`/runs/${id}/resume`, { body: { decisions } });
  expect(response.status).toBe(202);
  await expect.poll(async () => (await onlyRun(server)).text).toBe("Then not.");
  expect(read.join()).toContain("Too dear.");
  const malformed = await server.ask(`/runs/${id}/resume`, { body: { decisions: { x: "yes" } } });
  expect(malformed.status).toBe(400);
});

test("a run is cancelled over HTTP: one that goes on, and one that waits", async () => {
  const busy = { calls: [{ id: "c1", name: "wait", arguments: {} }] };
  await using going = await serve({ model: modelOf(busy), tools: [neverEnding("wait")] });
  const reading = going.ask(tester, { body: agUiInput("Wait") }).then(eventsIn);
  await expect.poll(async () => (await jsonOf(await going.ask("/runs"))).runs.length).toBe(1);
  const { id } = await onlyRun(going);
  expect((await going.ask(`/runs/${id}/cancel`, { method: "POST" })).status).toBe(204);
  expect((await reading).at(-1)).toMatchObject({ outcome: { type: "cancelled" } });

  await using waiting = await serve(cautious());
  await eventsIn(await waiting.ask(tester, { body: agUiInput("1 + 2?") }));
  const suspended = await onlyRun(waiting);
  const path = `/runs/${suspended.id}/cancel`;
  expect((await waiting.ask(path, { method: "POST" })).status).toBe(204);
  expect((await onlyRun(waiting)).status).toBe("cancelled");
  expect((await waiting.ask(path, { method: "POST" })).status).toBe(409);
});

test("sessions are listed, shown, read and deleted with their runs", async () => {
  await using server = await serve({ model: modelOf("Hello.") });
  await eventsIn(await server.ask(tester, { body: agUiInput("Hi") }));
  const { sessions } = await jsonOf(await server.ask("/sessions"));
  expect(sessions).toMatchObject([{ id: "thread", actor: "ada", length: 2 }]);
  expect(await jsonOf(await server.ask("/sessions/thread"))).toMatchObject({ length: 2 });
  const { messages } = await jsonOf(await server.ask("/sessions/thread/messages?after=1"));
  expect(messages).toMatchObject([{ sequence: 2, message: { role: "assistant" } }]);
  expect((await server.ask("/sessions/thread", { method: "DELETE" })).status).toBe(204);
  expect((await server.ask("/sessions/thread")).status).toBe(404);
  expect((await jsonOf(await server.ask("/runs"))).runs).toEqual([]);
});

test("the tools of an agent are told, and the state of its servers", async () => {
  const gone = { type: "stdio", command: "no-such-program-anywhere" } as const;
  await using server = await serve({
    model: modelOf("Hi."),
    tools: [add],
    mcp: [{ name: "gone", transport: gone }],
  });
  const state = await jsonOf(await server.ask("/agents/tester/tools"));
  expect(state.tools).toMatchObject([{ name: "add" }]);
  expect(state.servers).toMatchObject([{ name: "gone", status: "failed" }]);
  expect((await server.ask("/agents/nobody/tools")).status).toBe(404);
});

test("agents that are none, that share a name, or none at all are refused when the server is made", () => {
  const agent = agentOf({ model: modelOf("Hi.") });
  expect(() => createServer({ agents: [] })).toThrow(/needs agents/);
  expect(() => createServer({ agents: [agent, agent] })).toThrow(/the name "tester"/);
  expect(() => createServer({ agents: [{ ...agent }] })).toThrow(/two copies of dragoman/);
  expect(() => createServer({ agents: [agent], auth: { token: "short" } })).toThrow(
    /16 characters/,
  );
});

test("what goes wrong inside is told to the log, and not to the caller", async () => {
  const lines: string[] = [];
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const agent = dragoman.defineAgent({ name: "tester", model: scriptedModel(["Hi."]) });
  const { pino } = await import("pino");
  const server = createServer({
    agents: [agent],
    auth: () => {
      throw new Error("the user table is on fire");
    },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  const request = new Request("http://localhost/agents?token=hush", {
    headers: { host: "localhost", authorization: "Bearer hush-hush" },
  });
  const response = await server.fetch(request);
  expect(response.status).toBe(500);
  const text = await response.text();
  const { error } = JSON.parse(text);
  expect(error.code).toBe("internal-error");
  expect(text).not.toContain("fire");
  const id = response.headers.get("x-request-id");
  expect(lines.filter((line) => line.includes(`"requestId":"${id}"`))).toHaveLength(2);
  expect(lines.join()).not.toContain("hush");
});
