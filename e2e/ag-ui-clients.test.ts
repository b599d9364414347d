import { HttpAgent, PROTOCOL_VERSION } from "@ag-ui/client";
import { HttpAgent as OlderHttpAgent } from "ag-ui-client-0.0.59";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { type AgUiEvent, agUiVersion } from "../src/ag-ui/ag-ui-event.ts";
import { type AgUiHandler, createAgUiHandler } from "../src/ag-ui/create-ag-ui-handler.ts";
import type { AgUiHandlerOptions } from "../src/ag-ui/handler-options.ts";
import { toNodeListener } from "../src/ag-ui/to-node-listener.ts";
import type { AgentDefinition } from "../src/agent/agent-definition.ts";
import { MemoryRunStore } from "../src/agent/memory-run-store.ts";
import type { DragomanConfig } from "../src/configure.ts";
import { createDragoman } from "../src/configure.ts";
import { ModelError } from "../src/model/model-error.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { toolSuccess } from "../src/tool/tool-result.ts";
import { brokenRules } from "../test/ag-ui-rules.ts";
import { add, agentOf, modelOf, neverEnding } from "../test/agent-fixture.ts";
import { type LoopbackServer, startHttp } from "../test/loopback.ts";

/** The part of both clients that the stories use. */
interface Client {
  threadId: string;
  messages: readonly Message[];
  state: unknown;
  pendingInterrupts: readonly { readonly id: string; readonly toolCallId?: string }[];
  runAgent(parameters?: object, subscriber?: object): Promise<{ readonly result: unknown }>;
  abortRun(): void;
  addMessage(message: object): void;
}

interface Message {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCalls?: readonly { readonly id: string }[];
  readonly toolCallId?: string;
}

const clients = [
  { name: "1.0.0", isOld: false, make: (url: string) => new HttpAgent({ url }) },
  { name: "0.0.59", isOld: true, make: (url: string) => new OlderHttpAgent({ url }) },
].map(({ make, ...rest }) => ({
  ...rest,
  // Both are what the stories need of them; the first types its events by an enum.
  open: (url: string): Client => make(url) as unknown as Client,
}));

test("the types are those of the protocol's version that the official client speaks", () => {
  expect(agUiVersion).toBe(PROTOCOL_VERSION);
});

/** What a run of a client saw. */
interface Story {
  readonly events: readonly AgUiEvent[];
  readonly failures: readonly unknown[];
}

describe.each(clients)("the official client $name", ({ open, isOld }) => {
  const servers: LoopbackServer[] = [];
  const warnings: unknown[][] = [];

  beforeEach(() => {
    // A client tells by a warning what it has left out of an event.
    vi.spyOn(console, "warn").mockImplementation((...words) => void warnings.push(words));
  });

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
    const heard = warnings.splice(0);
    // The older client warns of what it will not have any more, whatever is sent.
    expect(heard.filter((words) => !isOld || !/deprecat/i.test(String(words[0])))).toEqual([]);
  });

  async function serve(
    definition: Omit<AgentDefinition, "name">,
    options: Partial<AgUiHandlerOptions> = {},
    config: DragomanConfig = {},
  ): Promise<{ readonly client: Client; readonly url: string; readonly handler: AgUiHandler }> {
    const agent = agentOf(definition, config);
    const handler = createAgUiHandler(agent, { authenticate: () => ({}), ...options });
    const server = await startHttp(toNodeListener(handler));
    servers.push(server);
    const client = open(`${server.origin}/agents/tester`);
    client.threadId = "thread";
    return { client, url: server.origin, handler };
  }

  let runs = 0;

  /** Runs; every event that reaches the application is checked against the rules. */
  async function run(
    client: Client,
    parameters: object = {},
    {
      shown = [],
      onEvent,
    }: { shown?: readonly string[]; onEvent?: (event: AgUiEvent) => void } = {},
  ): Promise<Story> {
    runs += 1;
    const runId = `run-${runs}`;
    const events: AgUiEvent[] = [];
    const failures: unknown[] = [];
    await client.runAgent(
      { runId, ...parameters },
      {
        onEvent: ({ event }: { event: AgUiEvent }) => {
          events.push(event);
          onEvent?.(event);
        },
        onRunFailed: ({ error }: { error: unknown }) => void failures.push(error),
      },
    );
    const ids = { threadId: "thread", runId };
    // What an older client is not told, its application finds out by what is missing.
    const broken = brokenRules(events, { ...ids, shownCallIds: shown });
    expect(broken.filter((rule) => !isOld || !rule.startsWith("calls without a result"))).toEqual(
      [],
    );
    return { events, failures };
  }

  const say = (client: Client, content: string): void =>
    client.addMessage({ id: content, role: "user", content });

  const typesOf = ({ events }: Story): readonly string[] => events.map(({ type }) => type);

  test("text and reasoning become messages", async () => {
    const { client } = await serve({ model: modelOf({ reasoning: "Greet.", text: "Good day." }) });
    say(client, "Hello");
    await run(client);
    const roles = client.messages.map(({ role, content }) => [role, content]);
    expect(roles).toEqual([
      ["user", "Hello"],
      ["reasoning", "Greet."],
      ["assistant", "Good day."],
    ]);
  });

  test("parallel calls are one message, their results stand after it, and the next run knows both", async () => {
    const model = modelOf(
      {
        text: "Adding.",
        calls: [
          { name: "add", arguments: { a: 1, b: 2 } },
          { name: "add", arguments: { a: 3, b: 4 } },
        ],
      },
      "3 and 7.",
      "Bye.",
    );
    const { client } = await serve({ model, tools: [add] });
    say(client, "Add");
    await run(client);
    expect(client.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(client.messages[1]?.toolCalls?.map(({ id }) => id)).toEqual(["call_1", "call_2"]);
    say(client, "Thanks");
    await run(client);
    expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  test("a picture from a tool can be read", async () => {
    const shot = defineTool({
      name: "shot",
      description: "A picture.",
      execute: () =>
        toolSuccess(null, {
          content: [
            { kind: "image", mediaType: "image/png", source: { kind: "data", base64: "AAAA" } },
          ],
        }),
    });
    const { client } = await serve({
      model: modelOf({ calls: [{ name: "shot" }] }, "There."),
      tools: [shot],
    });
    say(client, "Show me");
    await run(client);
    const { content } = client.messages.find(({ role }) => role === "tool") ?? {};
    expect(content).toEqual(
      isOld
        ? "[image]"
        : [{ type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" } }],
    );
  });

  test("subagents are told apart, and usage counts them", async () => {
    const scout = agentOf({
      model: modelOf({ calls: [{ name: "add", arguments: { a: 1, b: 1 } }] }, "Two."),
      tools: [add],
    });
    const call = { name: "delegate_to_tester", arguments: { request: "1 + 1?" } };
    const { client } = await serve({
      model: modelOf({ calls: [call] }, "It is two."),
      tools: [scout],
    });
    say(client, "Ask the scout");
    const story = await run(client);
    expect(typesOf(story).filter((type) => type.startsWith("SUBAGENT"))).toEqual([
      "SUBAGENT_STARTED",
      "SUBAGENT_FINISHED",
    ]);
    expect(story.events.at(-1)).toMatchObject({ usage: [{ inputTokens: 4, outputTokens: 4 }] });
    expect(client.messages.at(-1)?.content).toBe("It is two.");
  });

  test("a retry in the middle of a call leaves a sound history", async () => {
    const busy = new ModelError("busy", { code: "model-unavailable", retryable: true });
    const { client } = await serve({
      model: modelOf(
        { text: "Let me", calls: [{ name: "add", arguments: '{"a":' }], error: busy },
        "Better.",
      ),
      tools: [add],
      retry: { initialDelayMs: 1 },
    });
    say(client, "Add");
    const story = await run(client);
    expect(typesOf(story).at(-1)).toBe("RUN_FINISHED");
    expect(client.messages.at(-1)?.content).toBe("Better.");
    expect(story.events).toContainEqual(expect.objectContaining({ name: "dragoman.retry" }));
  });

  test("an error ends the run with its code", async () => {
    const refused = new ModelError("The key was refused.", { code: "model-unauthorized" });
    const { client } = await serve({ model: modelOf({ text: "I", error: refused }) });
    say(client, "Hello");
    const { events } = await run(client);
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "model-unauthorized" });
  });

  test("bad input is refused with its status", async () => {
    const { client } = await serve({ model: modelOf("never") }, { authenticate: () => undefined });
    say(client, "Hello");
    await expect(client.runAgent({ runId: "refused" })).rejects.toThrow(/401/);
  });

  test("a run that somebody else cancels ends as cancelled", async () => {
    const { client, url } = await serve(
      { model: modelOf({ text: "Wait", calls: [{ name: "slow" }] }), tools: [neverEnding("slow")] },
      { onDisconnect: "continue" },
    );
    say(client, "Hello");
    const cancel = (): void =>
      void fetch(`${url}/?threadId=thread&runId=run-${runs}`, { method: "DELETE" });
    const { events } = await run(
      client,
      {},
      { onEvent: ({ type }) => void (type === "TOOL_CALL_END" && cancel()) },
    );
    expect(events.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      ...(isOld ? {} : { outcome: { type: "cancelled" } }),
    });
  });

  test("a client that aborts cancels its run", async () => {
    const store = new MemoryRunStore();
    const { client } = await serve(
      { model: modelOf({ text: "Hello", hangs: true }) },
      {},
      { runs: store },
    );
    say(client, "Hello");
    runs += 1;
    await client.runAgent(
      { runId: `run-${runs}` },
      {
        onTextMessageContentEvent: () => client.abortRun(),
      },
    );
    const statuses = async () =>
      (await store.list({ app: "default" })).runs.map(({ status }) => status);
    await expect.poll(statuses).toEqual(["cancelled"]);
  });

  test("an approval interrupts the run, and the client resumes it", async () => {
    const done: string[] = [];
    const refund = defineTool({
      name: "refund",
      description: "Refunds.",
      execute: () => {
        done.push("refund");
        return "refunded";
      },
    });
    const { client } = await serve(
      {
        model: modelOf({ text: "I ask.", calls: [{ name: "refund" }] }, "Refunded."),
        tools: [refund],
        approval: { default: "ask" },
      },
      {},
      { sessions: memorySessions() },
    );
    say(client, "Refund me");
    await run(client);
    expect(done).toEqual([]);
    const [interrupt] = client.pendingInterrupts;
    expect(interrupt).toMatchObject({ toolCallId: "call_1" });
    const resume = [
      { interruptId: interrupt?.id, status: "resolved", payload: { approved: true } },
    ];
    await run(client, { resume }, { shown: ["call_1"] });
    expect(done).toEqual(["refund"]);
    expect(client.pendingInterrupts).toEqual([]);
    expect(client.messages.map(({ role, content = "" }) => [role, content])).toEqual([
      ["user", "Refund me"],
      ["assistant", "I ask."],
      ["tool", "refunded"],
      ["assistant", "Refunded."],
    ]);
  });

  test("a call of the client's tool is the client's to make, and its result goes on with the run", async () => {
    const model = modelOf({ calls: [{ name: "where" }] }, "Bern.");
    const { client } = await serve({ model });
    const tools = [
      { name: "where", description: "Where the user is.", parameters: { type: "object" } },
    ];
    say(client, "Where am I?");
    const first = await run(client, { tools });
    expect(first.events.at(-1)).toMatchObject({
      outcome: isOld ? { type: "success" } : { type: "success", pendingToolCallIds: ["call_1"] },
    });
    client.addMessage({ id: "r", role: "tool", toolCallId: "call_1", content: "In Bern." });
    await run(client, { tools }, { shown: ["call_1"] });
    expect(client.messages.at(-1)?.content).toBe("Bern.");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("In Bern.");
  });

  test("the typed answer is the run's result", async () => {
    const model = scriptedModel(['{"seats":12}']);
    const output = z.object({ seats: z.number() });
    const agent = createDragoman({ env: {} }).defineAgent({ name: "counter", model, output });
    const handler = createAgUiHandler(agent, { authenticate: () => ({}) });
    const server = await startHttp(toNodeListener(handler));
    servers.push(server);
    const client = open(server.origin);
    say(client, "How many?");
    const { result } = await client.runAgent({ runId: "typed" });
    expect(result).toMatchObject({ output: { seats: 12 } });
  });

  test("the state follows the session's", async () => {
    const upgrade = defineTool({
      name: "upgrade",
      description: "Upgrades.",
      execute: (_, { binding }) => binding.run.session?.setState("plan", "pro"),
    });
    const { client } = await serve(
      { model: modelOf({ calls: [{ name: "upgrade" }] }, "Done."), tools: [upgrade] },
      { state: (state) => state },
    );
    client.state = { plan: "free", seats: 1 };
    say(client, "Upgrade me");
    await run(client);
    expect(client.state).toEqual({ plan: "pro", seats: 1 });
  });

  test("a client that lost its connection asks for the same run again and gets all of it", async () => {
    const model = modelOf("A long story.");
    const { client, url } = await serve({ model }, { onDisconnect: "continue" });
    say(client, "Tell me");
    runs += 1;
    const runId = `run-${runs}`;
    const lost = new AbortController();
    const body = JSON.stringify({
      threadId: "thread",
      runId,
      messages: client.messages,
      ...(isOld ? {} : { protocolVersion: "1.0" }),
    });
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", body, headers, signal: lost.signal });
    await response.body?.getReader().read();
    lost.abort();
    runs -= 1;
    const { events } = await run(client);
    expect(events.at(-1)?.type).toBe("RUN_FINISHED");
    expect(client.messages.at(-1)?.content).toBe("A long story.");
    expect(model.requests).toHaveLength(1);
  });
});
