import { expect, test } from "vitest";
import { completed, eventsOf, noTokens, outline, sent } from "../../test/ag-ui-stream.ts";
import type { RunEvent } from "../agent/run-event.ts";

test("a source that stops in the middle, or throws, still ends the stream with an error", async () => {
  const begun = [
    { kind: "run-start", agent: "boss" },
    { kind: "step-start", step: 1 },
    { kind: "text-start", id: "1.t" },
    { kind: "tool-call-start", id: "c", name: "add" },
  ] as const;
  const stopped = await sent(eventsOf(...begun));
  expect(outline(stopped).slice(-6)).toEqual([
    "TEXT_MESSAGE_END",
    "TOOL_CALL_ARGS c {}",
    "TOOL_CALL_END c",
    "STEP_FINISHED step 1",
    'TOOL_CALL_RESULT c "Not called: the run came to its end before."',
    "RUN_ERROR",
  ]);
  async function* breaking(): AsyncGenerator<RunEvent> {
    yield* eventsOf(...begun);
    throw new Error("The store is gone.");
  }
  expect((await sent(breaking())).at(-1)).toMatchObject({ code: "internal-error" });
  expect(outline(await sent(eventsOf()))).toEqual(["RUN_STARTED", "RUN_ERROR"]);
});

test("nothing follows the terminal event, whatever the source still gives", async () => {
  const late = eventsOf({ kind: "run-start", agent: "boss" }, completed, completed, {
    kind: "step-start",
    step: 9,
  });
  expect(outline(await sent(late))).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
});

test("G-A2: subagents have their own lanes, side by side and nested, and their own call ids", async () => {
  const path = ["boss", "scout"];
  const deep = [...path, "clerk"];
  const events = await sent(
    eventsOf(
      { kind: "run-start", agent: "boss" },
      { kind: "model-start", step: 1, model: "m" },
      { kind: "tool-call-start", id: "call_1", name: "delegate_to_scout" },
      { kind: "tool-call-end", id: "call_1" },
      { kind: "tool-start", id: "call_1", name: "delegate_to_scout", arguments: {} },
      { kind: "agent-start", agent: "scout", path },
      { kind: "step-start", step: 1, path },
      { kind: "model-start", step: 1, model: "m", path },
      { kind: "text-start", id: "1.a", path },
      { kind: "agent-start", agent: "clerk", path: deep },
      { kind: "text-start", id: "1.a", path: deep },
      { kind: "text-delta", id: "1.a", text: "deep", path: deep },
      { kind: "text-delta", id: "1.a", text: "mid", path },
      { kind: "text-end", id: "1.a", path: deep },
      { kind: "tool-start", id: "call_1", name: "add", arguments: { a: 1 }, path },
      {
        kind: "tool-end",
        id: "call_1",
        name: "add",
        result: { kind: "success", value: 1, content: [{ kind: "text", text: "1" }] },
        path,
      },
      {
        kind: "agent-end",
        agent: "clerk",
        status: "failed",
        text: "",
        usage: noTokens,
        error: { code: "model-unauthorized", message: "refused" },
        path: deep,
      },
      {
        kind: "agent-end",
        agent: "scout",
        status: "completed",
        text: "mid",
        usage: noTokens,
        path,
      },
      {
        kind: "tool-end",
        id: "call_1",
        name: "delegate_to_scout",
        result: { kind: "success", value: "mid", content: [{ kind: "text", text: "mid" }] },
      },
      completed,
    ),
  );
  expect(outline(events)).toEqual([
    "RUN_STARTED",
    "TOOL_CALL_START call_1",
    "TOOL_CALL_ARGS call_1 {}",
    "TOOL_CALL_END call_1",
    "SUBAGENT_STARTED <run/scout> scout",
    "STEP_STARTED <run/scout> step 1",
    "TEXT_MESSAGE_START <run/scout>",
    "SUBAGENT_STARTED <run/scout/clerk> clerk",
    "TEXT_MESSAGE_START <run/scout/clerk>",
    "TEXT_MESSAGE_CONTENT <run/scout/clerk> deep",
    "TEXT_MESSAGE_CONTENT <run/scout> mid",
    "TEXT_MESSAGE_END <run/scout/clerk>",
    "TOOL_CALL_START <run/scout> scout/call_1",
    'TOOL_CALL_ARGS <run/scout> scout/call_1 {"a":1}',
    "TOOL_CALL_END <run/scout> scout/call_1",
    'TOOL_CALL_RESULT <run/scout> scout/call_1 "1"',
    "SUBAGENT_ERROR <run/scout/clerk>",
    "TEXT_MESSAGE_END <run/scout>",
    "STEP_FINISHED <run/scout> step 1",
    "SUBAGENT_FINISHED <run/scout>",
    'TOOL_CALL_RESULT call_1 "mid"',
    "RUN_FINISHED",
  ]);
  expect(events[4]).toMatchObject({ parentToolCallId: "call_1" });
  expect(events[7]).toMatchObject({ parentSubagentRunId: "run/scout" });
});

test("G-A2: a subagent is told of when it starts and ends, though it says nothing", async () => {
  const path = ["boss", "mute"];
  const usage = noTokens;
  const events = await sent(
    eventsOf(
      { kind: "run-start", agent: "boss" },
      { kind: "agent-start", agent: "mute", path },
      { kind: "text-delta", id: "1.a", text: "hi" },
      { kind: "agent-end", agent: "mute", status: "completed", text: "", usage, path },
      completed,
    ),
  );
  expect(outline(events)).toEqual([
    "RUN_STARTED",
    "SUBAGENT_STARTED <run/mute> mute",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT hi",
    "SUBAGENT_FINISHED <run/mute>",
    "TEXT_MESSAGE_END",
    "RUN_FINISHED",
  ]);
});

test("a subagent whose start was not told is opened, and one that never ends is closed", async () => {
  const events = await sent(
    eventsOf(
      { kind: "run-start", agent: "boss" },
      { kind: "text-delta", id: "1.a", text: "hi", path: ["boss", "a", "b"] },
      { kind: "run-end", status: "cancelled", text: "", usage: noTokens },
    ),
  );
  expect(outline(events)).toEqual([
    "RUN_STARTED",
    "SUBAGENT_STARTED <run/a> a",
    "SUBAGENT_STARTED <run/a/b> b",
    "TEXT_MESSAGE_START <run/a/b>",
    "TEXT_MESSAGE_CONTENT <run/a/b> hi",
    "TEXT_MESSAGE_END <run/a/b>",
    "SUBAGENT_ERROR <run/a/b>",
    "SUBAGENT_ERROR <run/a>",
    "RUN_FINISHED",
  ]);
});

test("G-A2, G-A4: trace context, progress, servers and notices are custom events of our name", async () => {
  const traceContext = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  const events = await sent(
    eventsOf(
      { kind: "run-start", agent: "boss" },
      { kind: "server-connect", server: "files", tools: ["read"] },
      { kind: "server-fail", server: "wiki", error: { code: "mcp-timeout", message: "late" } },
      {
        kind: "discovery-end",
        of: "servers",
        reason: "chosen",
        scorer: "bm25f",
        threshold: 1,
        servers: [
          { name: "files", chosen: true, score: 2 },
          { name: "wiki", chosen: false, score: 0 },
        ],
      },
      { kind: "notice", code: "max-steps", message: "Enough." },
      { kind: "tool-start", id: "c", name: "read", arguments: {} },
      { kind: "tool-progress", id: "c", progress: { progress: 1, total: 2 } },
      { kind: "artifact-create", id: "sha256-1", mediaType: "image/png", size: 4, toolCallId: "c" },
      completed,
    ),
    { traceContext, parentRunId: "before" },
  );
  expect(events[0]).toMatchObject({ parentRunId: "before", protocolVersion: "1.0" });
  const custom = events.flatMap((event) =>
    event.type === "CUSTOM" ? [[event.name, event.value]] : [],
  );
  expect(custom).toEqual([
    ["dragoman.trace_context", traceContext],
    ["dragoman.server", { server: "files", status: "connected" }],
    ["dragoman.server", { server: "wiki", status: "failed", code: "mcp-timeout" }],
    ["dragoman.discovery", { of: "servers", reason: "chosen", names: ["files"] }],
    ["dragoman.notice", { code: "max-steps", message: "Enough." }],
    ["dragoman.tool_progress", { toolCallId: "c", progress: 1, total: 2 }],
    ["dragoman.artifact", { id: "sha256-1", toolCallId: "c", mediaType: "image/png", size: 4 }],
  ]);
  const own = { traceparent: traceContext.traceparent.replace("b7ad", "0000") };
  const [, told] = await sent(
    eventsOf({ kind: "run-start", agent: "boss", trace: own }, completed),
  );
  expect(told).toMatchObject({ type: "CUSTOM", name: "dragoman.trace_context", value: own });
});
