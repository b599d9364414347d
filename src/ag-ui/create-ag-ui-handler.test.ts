import { expect, test } from "vitest";
import {
  ada,
  authenticate,
  eventsIn,
  post,
  refusalIn,
  request,
  textIn,
  user,
} from "../../test/ag-ui-client.ts";
import { brokenRules } from "../../test/ag-ui-rules.ts";
import { outline } from "../../test/ag-ui-stream.ts";
import { add, agentOf, modelOf } from "../../test/agent-fixture.ts";
import type { Assembly } from "../agent/assembly.ts";
import { createDragoman } from "../configure.ts";
import { defineTool } from "../tool/define-tool.ts";
import { type AgUiHandler, createAgUiHandler } from "./create-ag-ui-handler.ts";
import type { AgUiHandlerOptions } from "./handler-options.ts";

const ids = { threadId: "thread", runId: "run-1" };

const open = (agent: Assembly, options: Partial<AgUiHandlerOptions> = {}): AgUiHandler =>
  createAgUiHandler(agent, { authenticate: () => ({}), ...options });

test("G-A1, G-A7: a request becomes a run of its caller, whose events come as server-sent events", async () => {
  const who = defineTool({
    name: "who",
    description: "Who calls.",
    execute: (_, { binding }) => [binding.run.actor, binding.run.context],
  });
  const agent = agentOf({ model: modelOf({ calls: [{ name: "who" }] }, "You."), tools: [who] });
  const response = await post(
    open(agent, { authenticate }),
    { messages: [user("Who am I?")], forwardedProps: { actor: "eve" } },
    ada,
  );
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = await eventsIn(response);
  expect(brokenRules(events, ids)).toEqual([]);
  expect(outline(events)).toContain(`TOOL_CALL_RESULT call_1 "[\\"ada\\",{\\"of\\":\\"ada\\"}]"`);
});

test.each([
  ["no JSON", "{", [400, "invalid-input"]],
  ["no input", "[]", [400, "invalid-input"]],
  ["no run id", JSON.stringify({ threadId: "t", messages: [] }), [400, "invalid-input"]],
  ["nothing said", {}, [400, "nothing-asked"]],
  [
    "an unknown role",
    { messages: [{ id: "m", role: "root", content: "x" }] },
    [400, "invalid-input"],
  ],
  [
    "a user's message without content",
    { messages: [{ id: "m", role: "user" }] },
    [400, "invalid-input"],
  ],
  [
    "a file of our disk",
    {
      messages: [
        {
          id: "m",
          role: "user",
          content: [{ type: "image", source: { type: "url", value: "file:///etc/passwd" } }],
        },
      ],
    },
    [400, "invalid-input"],
  ],
  ["too many messages", { messages: [user("a"), user("b"), user("c")] }, [400, "invalid-input"]],
  [
    "a tool's name that is none",
    { messages: [user("a")], tools: [{ name: "a b" }] },
    [400, "invalid-input"],
  ],
  [
    "the name of a tool of ours",
    { messages: [user("a")], tools: [{ name: "add" }] },
    [400, "invalid-input"],
  ],
  [
    "two tools of one name",
    { messages: [user("a")], tools: [{ name: "one" }, { name: "one" }] },
    [400, "invalid-input"],
  ],
  [
    "a schema that is none",
    { messages: [user("a")], tools: [{ name: "x", parameters: { type: "string" } }] },
    [400, "invalid-input"],
  ],
  ["too many bytes", { messages: [user("x".repeat(3_000))] }, [413, "too-large"]],
] as const)("input is refused before the stream: %s", async (_, input, refusal) => {
  const model = modelOf("never");
  const handler = open(agentOf({ model, tools: [add] }), {
    limits: { maxMessages: 2, maxBytes: 2_000 },
  });
  expect(await refusalIn(await post(handler, input as string))).toEqual(refusal); // of the table
  expect(model.requests).toHaveLength(0);
});

test("a body that does not say its length, or is nested without end, is refused as well", async () => {
  const handler = open(agentOf({ model: modelOf("never") }), { limits: { maxBytes: 1_000 } });
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(400).fill(0x20)),
  });
  const init = { body: endless, duplex: "half" } as RequestInit;
  expect(await refusalIn(await post(handler, "", init))).toEqual([413, "too-large"]);
  const deep = "[".repeat(400) + "]".repeat(400);
  expect(await refusalIn(await post(handler, deep))).toEqual([400, "invalid-input"]);
  const broken = new Uint8Array([0xff, 0xfe]);
  expect(await refusalIn(await post(handler, "", { body: broken }))).toEqual([
    400,
    "invalid-input",
  ]);
});

test("other types, other methods and unknown callers are refused", async () => {
  const handler = open(agentOf({ model: modelOf("never") }), { authenticate });
  const form = { headers: { ...ada.headers, "content-type": "text/plain" } };
  expect(await refusalIn(await post(handler, {}, form))).toEqual([415, "unsupported-type"]);
  expect(await refusalIn(await post(handler, {}))).toEqual([401, "unauthorized"]);
  const put = { ...ada, method: "PUT" };
  expect(await refusalIn(await request(handler, {}, put))).toEqual([405, "method-not-allowed"]);
  const own = open(agentOf({ model: modelOf("never") }), {
    authenticate: () => new Response("Log in.", { status: 403 }),
  });
  expect((await post(own, {})).status).toBe(403);
  const failing = open(agentOf({ model: modelOf("never") }), {
    authenticate: () => {
      throw new Error("The key is s3cret.");
    },
  });
  const response = await post(failing, {});
  expect(await response.clone().text()).not.toContain("s3cret");
  expect(await refusalIn(response)).toEqual([500, "internal-error"]);
});

test("a handler needs to be told who calls, and an agent of ours", () => {
  const agent = agentOf({ model: modelOf("never") });
  expect(() => createAgUiHandler(agent, {} as AgUiHandlerOptions)).toThrow(/authenticate/);
  expect(() => open({} as Assembly)).toThrow(/defineAgent/);
});

test("the application may choose model, limits and context by the request, and filter what is sent", async () => {
  const model = modelOf({ reasoning: "private", text: "Chosen." });
  const handler = open(agentOf({ model: modelOf("never") }), {
    runOptions: ({ input }) => ({ model, context: input.forwardedProps }),
    filter: (event) => (event.type.startsWith("REASONING") ? undefined : event),
    traceContext: ({ headers }) => ({ traceparent: headers.get("traceparent") ?? "" }),
  });
  const init = { headers: { traceparent: "00-1-2-01" } };
  const events = await eventsIn(await post(handler, { messages: [user("Hi")] }, init));
  expect(textIn(events)).toBe("Chosen.");
  expect(JSON.stringify(events)).not.toContain("private");
  expect(events[1]).toMatchObject({ value: { traceparent: "00-1-2-01" } });
});

test("several agents as one, and an agent that keeps its connections, are served like an agent", async () => {
  const dragoman = createDragoman({ env: {} });
  const member = (name: string) => dragoman.defineAgent({ name, model: modelOf(`I am ${name}.`) });
  const panel = dragoman.defineParallel({ name: "panel", members: [member("ann"), member("bob")] });
  const messages = [user("Who are you?")];
  const events = await eventsIn(await post(open(panel), { messages, tools: [{ name: "where" }] }));
  expect(brokenRules(events, ids)).toEqual([]);
  const started = events.filter(({ type }) => type === "SUBAGENT_STARTED");
  expect(started.map((event) => "name" in event && event.name)).toEqual(["ann", "bob"]);
  await using live = await agentOf({ model: modelOf("Live.") }).start();
  const answered = await eventsIn(await post(open(live), { messages, tools: [{ name: "where" }] }));
  expect(textIn(answered)).toBe("Live.");
});
