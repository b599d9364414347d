import { expect, test } from "vitest";
import type { DragomanConfig } from "../src/configure.ts";
import type { OpenTelemetryTracingOptions } from "../src/otel/open-telemetry-tracing.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import { collect } from "./agent-fixture.ts";
import { fakeStdio } from "./fixtures/mcp/servers.ts";
import { broken, cases, type KeepingSdk, modelOf, secret, Traced } from "./traced-runs.ts";

/** Attributes that a span of each kind of operation must have. */
const required: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^invoke_agent/, ["gen_ai.operation.name", "gen_ai.agent.name", "dragoman.run.outcome"]],
  [/^invoke_workflow/, ["gen_ai.operation.name", "gen_ai.agent.name", "dragoman.network.kind"]],
  [/^chat/, ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"]],
  [/^execute_tool/, ["gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id"]],
  [/^plan/, ["gen_ai.operation.name", "gen_ai.agent.name"]],
  [/^(initialize|tools)/, ["mcp.method.name", "mcp.protocol.version", "network.transport"]],
];

/** How runs are traced in a test. */
type Trace = (options?: OpenTelemetryTracingOptions, config?: DragomanConfig) => Traced;

/** What every SDK must get of runs. */
export function testTracing(openSdk: () => KeepingSdk): void {
  const traced: Trace = (options = {}, config = {}) => new Traced(openSdk(), options, config);
  testSpans(traced);
  testContent(traced);
  testMeasures(traced);
  testTraces(traced);
}

/** Spans of each kind of run. */
function testSpans(traced: Trace): void {
  test.each(cases)(
    "G-O1, G-O2, G-O4, G-O5: $title has its spans, and nothing that was said is in them",
    async ({ run, tree }) => {
      const runs = traced({}, { random: () => 0 });
      await run(runs.dragoman, { actor: `user-${secret}` });
      const spans = runs.sdk.spans();
      expect(runs.tree).toBe(tree.trim());
      for (const { name, attributes, status } of spans) {
        const [, keys = []] = required.find(([pattern]) => pattern.test(name)) ?? [];
        const wanted = name === "initialize" ? keys.filter((key) => !/version/.test(key)) : keys;
        expect(Object.keys(attributes), name).toEqual(expect.arrayContaining([...wanted]));
        expect(status === 2, name).toBe("error.type" in attributes);
      }
      const written = JSON.stringify([spans, [...(await runs.sdk.measures())]]);
      expect(written).not.toMatch(new RegExp(`${secret}|Three|Add"`));
    },
  );

  test("G-O2: a run's usage, its model and how it ended are attributes of its one span", async () => {
    const runs = traced();
    const agent = runs.dragoman.defineAgent({ name: "desk", model: modelOf("Hello.") });
    const { runId } = await agent.ask("Hi");
    expect(runs.span("invoke_agent desk").attributes).toMatchObject({
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.usage.input_tokens": 1,
      "gen_ai.usage.output_tokens": 1,
      "gen_ai.response.finish_reasons": ["stop"],
      "dragoman.run.id": runId,
      "dragoman.run.outcome": "completed",
    });
    expect(runs.span("chat gpt-5").attributes).toMatchObject({
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 1,
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
    });
  });

  test("G-O2: a resumed run links to the span that it was suspended in", async () => {
    const runs = traced();
    await cases.find(({ title }) => title.includes("goes on"))?.run(runs.dragoman, {});
    const [first, second] = runs.sdk.spans().filter(({ name }) => name === "invoke_agent desk");
    expect(second?.links).toEqual([{ traceId: first?.traceId, spanId: first?.spanId }]);
    expect(second?.traceId).not.toBe(first?.traceId);
  });

  test("G-O5: a passed deadline is the error timeout", async () => {
    const clock = manualClock();
    const runs = traced({}, { clock });
    const model = modelOf({ text: "Wait", hangs: true });
    const run = runs.dragoman.defineAgent({ name: "desk", model }).stream("Go", { timeoutMs: 50 });
    for await (const event of run) {
      if (event.kind === "text-delta") {
        clock.advance(50);
      }
    }
    expect(runs.tree).toBe(
      "invoke_agent desk INTERNAL ERROR=timeout failed (exception)\n  chat gpt-5 CLIENT ERROR=timeout (exception)",
    );
  });
}

/** What was said. */
function testContent(traced: Trace): void {
  test("G-O4: what was said is captured only as the scrubber gives it, and cut", async () => {
    const scrub = (kind: string, value: unknown) =>
      kind === "tool-arguments" ? undefined : JSON.stringify(value).replaceAll(secret, "***");
    const runs = traced({ capture: { scrub, maxCharacters: 60 } });
    const model = modelOf({ calls: [{ id: "c1", name: "broken" }] }, `${secret} ${"x".repeat(99)}`);
    const agent = runs.dragoman.defineAgent({
      name: "desk",
      instructions: "Be kind.",
      model,
      tools: [broken],
    });
    await agent.ask(`Say ${secret}`);
    const [chat] = runs.sdk.spans().filter(({ name }) => name.startsWith("chat"));
    expect(chat?.attributes).toMatchObject({
      "gen_ai.system_instructions": '[{"type":"text","content":"Be kind."}]',
      "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Say ***"}…',
    });
    const { attributes, events } = runs.span("execute_tool broken");
    expect(attributes).not.toHaveProperty("gen_ai.tool.call.arguments");
    expect(attributes["gen_ai.tool.call.result"]).toMatch(/\*\*\* is out/);
    expect(events.find(({ name }) => name === "exception")?.attributes).toHaveProperty(
      "exception.type",
      "tool-failed",
    );
    expect(JSON.stringify(runs.sdk.spans())).not.toContain(secret);
  });

  test("G-O4: content can be events; a scrubber that fails lets nothing through", async () => {
    const asEvents = traced({ capture: { scrub: (_, value) => value, as: "events" } });
    await cases[0]?.run(asEvents.dragoman, {});
    const { events, attributes } = asEvents.span("execute_tool add");
    expect(events.map(({ attributes: told }) => told)).toContainEqual({
      "gen_ai.tool.call.arguments": '{"a":1,"b":2}',
    });
    expect(attributes).not.toHaveProperty("gen_ai.tool.call.arguments");
    const failing = traced({
      capture: {
        scrub: () => {
          throw new Error("no");
        },
      },
    });
    expect((await cases[0]?.run(failing.dragoman, {}))?.status).toBe("completed");
    expect(JSON.stringify(failing.sdk.spans())).not.toContain("gen_ai.input.messages");
  });
}

/** Measures, and the older names. */
function testMeasures(traced: Trace): void {
  test("G-O5: the older conventions and ids are there for those who ask", async () => {
    const runs = traced({ semanticConventions: "older", identifiers: true });
    await cases[3]?.run(runs.dragoman, { session: { id: "chat-1", store: memorySessions() } });
    expect(runs.span("invoke_workflow outer").attributes).toMatchObject({
      "gen_ai.workflow.name": "outer",
      "gen_ai.conversation.id": "chat-1",
    });
    expect(runs.span("chat gpt-5").attributes).toHaveProperty("gen_ai.system", "openai");
    expect([...(await runs.sdk.measures()).keys()]).toEqual(
      expect.arrayContaining(["gen_ai.client.operation.duration", "gen_ai.client.token.usage"]),
    );
  });

  test("G-O2: runs, model calls, tools and MCP requests are measured, without any id", async () => {
    const runs = traced();
    await cases[1]?.run(runs.dragoman, {});
    await cases[5]?.run(runs.dragoman, {});
    const measures = await runs.sdk.measures();
    expect([...measures.keys()].toSorted()).toEqual([
      "gen_ai.client.inference.duration",
      "gen_ai.client.inference.time_per_output_chunk",
      "gen_ai.client.inference.time_to_first_chunk",
      "gen_ai.client.inference.usage.input_tokens",
      "gen_ai.client.inference.usage.output_tokens",
      "gen_ai.execute_tool.duration",
      "gen_ai.invoke_agent.duration",
      "gen_ai.invoke_agent.inference_calls",
      "gen_ai.invoke_agent.tool_calls",
      "mcp.client.operation.duration",
      "mcp.client.session.duration",
    ]);
    expect(measures.get("gen_ai.execute_tool.duration")).toEqual(
      expect.arrayContaining([
        {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "broken",
          "error.type": "tool-failed",
        },
      ]),
    );
    expect(measures.get("mcp.client.operation.duration")).toContainEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "echo",
      "mcp.protocol.version": expect.any(String),
      "network.transport": "pipe",
    });
    expect(JSON.stringify([...measures])).not.toMatch(/run_|call_|"c1"|request\.id|run\.id/);
  });
}

/** The trace around a run, and MCP requests. */
function testTraces(traced: Trace): void {
  test("G-O3: a run is part of the trace that it is given, and its events tell of its span", async () => {
    const runs = traced();
    const agent = runs.dragoman.defineAgent({ name: "desk", model: modelOf("Hello.") });
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${traceId}-00f0677aa0ba902b-01`;
    const events = await collect(
      agent.stream("Hi", { trace: { traceparent, tracestate: "vendor=1" } }),
    );
    const { spanId, parentId } = runs.span("invoke_agent desk");
    expect(parentId).toBe("00f0677aa0ba902b");
    expect(events[0]).toMatchObject({
      kind: "run-start",
      trace: { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "vendor=1" },
    });
  });

  test("separate spans for MCP requests stand beneath their tools", async () => {
    const runs = traced({ separateMcpSpans: true });
    await cases[1]?.run(runs.dragoman, {});
    expect(runs.tree).toContain("\n  execute_tool echo CLIENT\n    tools/call echo CLIENT\n");
  });

  test("G-O5: one span of an MCP call has the conventions' attributes and the server's error code", async () => {
    const runs = traced();
    const error = { code: -32_602, message: "no" };
    const model = modelOf({ calls: [{ id: "c1", name: "fail", arguments: { error } }] }, "Ok.");
    const mcp = [{ name: "files", transport: fakeStdio() }];
    await runs.dragoman.defineAgent({ name: "desk", model, mcp }).ask("Go");
    expect(runs.span("execute_tool fail").attributes).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "fail",
      "dragoman.tool.name": "fail",
      "network.transport": "pipe",
      "rpc.response.status_code": "-32602",
      "error.type": "-32602",
    });
  });
}
