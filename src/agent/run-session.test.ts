import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf, neverEnding } from "../../test/agent-fixture.ts";
import { failureOf } from "../../test/failure-of.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";
import { silentLogger } from "../base/logger.ts";
import type { Message } from "../message/message.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import { SessionError } from "./session-error.ts";
import type { SessionKey, SessionStore } from "./session-store.ts";

const key = { app: "default", id: "s" } as const;

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const assistant = (text: string): Message => ({
  role: "assistant",
  content: [{ kind: "text", text }],
});

const said = async (store: SessionStore, session: SessionKey = key): Promise<readonly Message[]> =>
  (await store.messages(session)).map(({ message }) => message);

/** A store that fails, or hangs, where it is told to. */
const storeWith = (changes: Partial<SessionStore>): SessionStore => {
  const store = memorySessions();
  return {
    create: (session) => store.create(session),
    get: (session) => store.get(session),
    messages: (session, range) => store.messages(session, range),
    append: (session, messages, options) => store.append(session, messages, options),
    update: (session, update) => store.update(session, update),
    list: (filter) => store.list(filter),
    delete: (session) => store.delete(session),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    ...changes,
  };
};

const full = new SessionError("No space.", { code: "store-full" });

test("L-C14: a run takes a session id, the input and a store, and its last event has the answer", async () => {
  const store = memorySessions();
  const { id } = await store.create({ app: "desk", actor: "ann" });
  const agent = agentOf({ model: modelOf("Hello Ann.") }, { app: "desk" });
  const events = await collect(agent.stream("Hi", { actor: "ann", session: { id, store } }));
  expect(events.at(-1)).toMatchObject({ kind: "run-end", status: "completed", text: "Hello Ann." });
  expect(events.at(-2)).toMatchObject({
    kind: "session-save",
    session: id,
    messages: 2,
    length: 2,
  });
  expect(await said(store, { app: "desk", id })).toEqual([user("Hi"), assistant("Hello Ann.")]);
  expect((await store.create({ app: "desk", actor: "ann" })).id).not.toBe(id);
  for (const other of [{}, { actor: "bob" }]) {
    expect(await agent.ask("And me?", { ...other, session: { id, store } })).toMatchObject({
      status: "failed",
      error: { code: "session-conflict" },
    });
  }
});

test("the next run has the history between its instructions and its input", async () => {
  const sessions = memorySessions();
  const model = modelOf("One.", "Two.", "Three.");
  const agent = agentOf({ model, instructions: "Count." }, { sessions });
  await agent.ask("First", { session: { id: "s" } });
  const second = await agent.ask("Second", { session: { id: "s" } });
  await agent.ask("Alone");
  const expected = [
    { role: "system", text: "Count." },
    user("First"),
    assistant("One."),
    user("Second"),
  ];
  expect(model.requests[1]?.messages.slice(0, 4)).toEqual(expected);
  expect(second.messages).toEqual([...expected, assistant("Two.")]);
  expect(model.requests[2]?.messages.slice(0, 2)).toEqual([expected[0], user("Alone")]);
  expect(await said(sessions)).toEqual([...expected.slice(1), assistant("Two.")]);
});

test("calls and results are stored with the rest, as one group named for the run", async () => {
  const sessions = memorySessions();
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "3");
  const agent = agentOf({ model, tools: [add] }, { sessions });
  const { runId } = await agent.ask("1+2?", { session: { id: "s" } });
  const stored = await sessions.messages(key);
  expect(stored.map(({ message }) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(stored.every(({ groupId }) => groupId === runId)).toBe(true);
});

test("a session is created with its first run, for its actor, under what was asked", async () => {
  const sessions = memorySessions();
  const agent = agentOf({ model: modelOf("ok") }, { sessions, app: "desk" });
  const input = `  Where is\n my ${"very ".repeat(30)}late order?`;
  await agent.ask(input, { actor: "ann", session: { id: "s" } });
  expect(await sessions.get({ app: "desk", id: "s" })).toMatchObject({
    actor: "ann",
    title: `Where is my ${"very ".repeat(14)}`.slice(0, 79).concat("…"),
    state: {},
  });
});

test("runs on one session at once lose no message, and each stays in one piece", async () => {
  const sessions = memorySessions();
  const agent = agentOf({ model: modelOf("ok") }, { sessions });
  const inputs = Array.from({ length: 8 }, (_, index) => `input ${index}`);
  const results = await Promise.all(
    inputs.map((text) => agent.ask(text, { session: { id: "s" } })),
  );
  expect(results.map(({ status }) => status)).toEqual(inputs.map(() => "completed"));
  const messages = await said(sessions);
  const pairs = messages.flatMap((message, index) =>
    index % 2 === 0 ? [[message, messages[index + 1]]] : [],
  );
  expect(pairs).toHaveLength(inputs.length);
  expect(pairs).toEqual(
    expect.arrayContaining(inputs.map((text) => [user(text), assistant("ok")])),
  );
});

test("what a failed run has said is stored", async () => {
  const sessions = memorySessions();
  const model = modelOf(
    { text: "Let me add.", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
    { text: "Half", error: new Error("overloaded") },
  );
  const run = agentOf({ model, tools: [add] }, { sessions }).stream("1+2?", {
    session: { id: "s" },
  });
  const events = await collect(run);
  expect((await run.result).status).toBe("failed");
  expect(events.slice(-2).map(({ kind }) => kind)).toEqual(["session-save", "run-end"]);
  expect((await said(sessions)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});

test.each(["cancelled", "timed out"])("what a run has said that is %s is stored", async (how) => {
  const sessions = memorySessions();
  const clock = manualClock();
  const model = modelOf({ calls: [{ name: "slow" }] });
  const agent = agentOf({ model, tools: [neverEnding("slow")] }, { sessions, clock });
  const run = agent.stream("Go", { session: { id: "s" }, timeoutMs: 1_000 });
  for await (const { kind } of run) {
    if (kind === "tool-start" && how === "cancelled") {
      run.cancel();
    } else if (kind === "tool-start") {
      clock.advance(1_000);
    }
  }
  expect((await run.result).status).toBe(how === "cancelled" ? "cancelled" : "failed");
  expect((await said(sessions)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(clock.pending).toBe(0);
});

test("a run that never began to talk stores nothing", async () => {
  const sessions = memorySessions();
  const instructions = () => Promise.reject(new Error("no template"));
  const agent = agentOf({ model: modelOf("ok"), instructions }, { sessions });
  const events = await collect(agent.stream("Hi", { session: { id: "s" } }));
  expect(events.map(({ kind }) => kind)).toEqual(["run-start", "run-end"]);
  expect(await said(sessions)).toEqual([]);
});

test("nobody goes on with somebody else's session, and no model is asked", async () => {
  const sessions = memorySessions();
  const model = modelOf("ok");
  const agent = agentOf({ model }, { sessions });
  await agent.ask("Mine", { actor: "ann", session: { id: "s" } });
  await agent.ask("Anybody's", { session: { id: "free" } });
  for (const [id, actor] of [
    ["s", { actor: "bob" }],
    ["s", {}],
    ["free", { actor: "bob" }],
  ] as const) {
    const result = await agent.ask("Hi", { ...actor, session: { id } });
    expect(result).toMatchObject({ status: "failed", error: { code: "session-conflict" } });
  }
  expect(model.requests).toHaveLength(2);
  expect(await said(sessions)).toHaveLength(2);
});

test("a run's own store goes before the configured one", async () => {
  const [sessions, store] = [memorySessions(), memorySessions()];
  await agentOf({ model: modelOf("ok") }, { sessions }).ask("Hi", { session: { id: "s", store } });
  expect(await sessions.get(key)).toBeUndefined();
  expect(await said(store)).toHaveLength(2);
});

test("a session without a store, or without an id, is a ConfigurationError", async () => {
  const agent = agentOf({ model: modelOf("ok") });
  const failure = await failureOf(agent.ask("Hi", { session: { id: "s" } }));
  expect(failure).toBeInstanceOf(ConfigurationError);
  expect(failure).toMatchObject({ message: expect.stringMatching(/configure\(\{ sessions \}\)/) });
  const store = memorySessions();
  expect(() => agent.stream("Hi", { session: { id: "", store } })).toThrow(ConfigurationError);
});

test("a tool reads and sets the session's state, which the next run sees", async () => {
  const sessions = memorySessions();
  const seen: unknown[] = [];
  const visit = defineTool({
    name: "visit",
    description: "Counts visits.",
    async execute(_input, { binding }) {
      const { session } = binding.run;
      const count = await session?.getState("count");
      seen.push(session?.id, count, await session?.getState("toString"));
      await session?.setState("count", Number(count ?? 0) + 1);
      await session?.setState("gone", "x");
      await session?.setState("gone", undefined);
      return "ok";
    },
  });
  const visitor = () =>
    agentOf({ model: modelOf({ calls: [{ name: "visit" }] }, "ok"), tools: [visit] }, { sessions });
  await visitor().ask("Hi", { actor: "ann", session: { id: "s" } });
  await visitor().ask("Hi again", { actor: "ann", session: { id: "s" } });
  expect(seen).toEqual(["s", undefined, undefined, "s", 1, undefined]);
  expect((await sessions.get(key))?.state).toEqual({ count: 2 });
  await visitor().ask("Hi");
  expect(seen.slice(6)).toEqual([undefined, undefined, undefined]);
});

test("the model gets a damaged history repaired, and the store keeps what was said", async () => {
  const sessions = memorySessions();
  const call = { kind: "tool-call", id: "call_1", name: "add", arguments: {} } as const;
  const damaged: readonly Message[] = [user("Go"), { role: "assistant", content: [call] }];
  await sessions.create(key);
  await sessions.append(key, damaged);
  const model = modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "3");
  const agent = agentOf({ model, tools: [add] }, { sessions });
  await agent.ask("Again", { session: { id: "s" } });
  expect(model.requests[0]?.messages.slice(0, 4)).toMatchObject([
    ...damaged,
    { role: "tool", content: [{ id: "call_1", isError: true }] },
    user("Again"),
  ]);
  const stored = await said(sessions);
  expect(stored.slice(0, 3)).toEqual([...damaged, user("Again")]);
  expect(stored[3]).toMatchObject({ content: [{ id: "call_1_2" }] }); // the id was taken
});

test("a session that cannot be read fails the run before the model is asked", async () => {
  const model = modelOf("ok");
  const store = storeWith({ get: () => Promise.reject(full) });
  const result = await agentOf({ model }).ask("Hi", { session: { id: "s", store } });
  expect(result).toMatchObject({ status: "failed", error: { code: "store-full" }, cause: full });
  expect(model.requests).toEqual([]);
});

test("an answer that could not be stored fails the run, and its text is kept", async () => {
  const store = storeWith({ append: () => Promise.reject(full) });
  const result = await agentOf({ model: modelOf("Hello.") }).ask("Hi", {
    session: { id: "s", store },
  });
  expect(result).toMatchObject({
    status: "failed",
    text: "Hello.",
    error: { code: "store-full" },
    cause: full,
  });
});

test("a failed run that could not be stored either keeps its own error, and says so in a notice", async () => {
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message) };
  const store = storeWith({ append: () => Promise.reject(full) });
  const model = modelOf({ error: new Error("overloaded") });
  const run = agentOf({ model }, { logger }).stream("Hi", { session: { id: "s", store } });
  const events = await collect(run);
  expect(await run.result).toMatchObject({ status: "failed", error: { message: "overloaded" } });
  expect(events.at(-2)).toMatchObject({
    kind: "notice",
    code: "session-not-saved",
    message: "What was said could not be kept: No space.",
  });
  expect(warnings).toHaveLength(1);
});

test("a store that never answers cannot hold a finished run", async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<void>();
  const store = storeWith({
    append: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const agent = agentOf({ model: modelOf("Hello.") }, { clock });
  const asking = agent.ask("Hi", { session: { id: "s", store } });
  await asked.promise;
  await Promise.resolve(); // the timer starts behind the call
  clock.advance(30_000);
  expect(await asking).toMatchObject({ status: "failed", error: { code: "store-unavailable" } });
});
