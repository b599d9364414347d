import { expect, test } from "vitest";
import type { DragomanConfig } from "../src/configure.ts";
import type { OpenTelemetryTracingOptions } from "../src/otel/open-telemetry-tracing.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import { collect } from "./agent-fixture.ts";
import { fakeStdio } from "./fixtures/mcp/servers.ts";
import { broken, cases, type KeepingSdk, modelOf, secret, Traced } from "./traced-runs.ts";
import { testMeasures } from "./tracing-measures.ts";

/** Attributes that a span of each kind of operation must have. */
const required: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^invoke_agent/, ["gen_ai.operation.name", "gen_ai.agent.name", "dragoman.run.outcome"]],
  [/^invoke_workflow/, ["gen_ai.operation.name", "gen_ai.agent.name", "dragoman.network.kind"]],
  [/^chat/, ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"]],
  [
    /^execute_tool/,
    ["gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.agent.name"],
  ],
  [/^plan/, ["gen_ai.operation.name", "gen_ai.agent.name"]],
  [/^(initialize|tools)/, ["mcp.method.name", "mcp.protocol.version", "network.transport"]],
];

/** Attributes that tell ids. */
const ownIds: readonly string[] = [
  "dragoman.run.id",
  "dragoman.subagent.run_id",
  "gen_ai.tool.call.id",
];

/** How runs are traced in a test. */
export type Trace = (options?: OpenTelemetryTracingOptions, config?: DragomanConfig) => Traced;

/** What every SDK must get of runs. */
export function testTracing(openSdk: () => KeepingSdk): void {
  const traced: Trace = (options = {}, config = {}) => new Traced(openSdk(), options, config);
  testSpans(traced);
  testContent(traced);
  testContentForms(traced);
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
        // Ids of our own making; whose run it is, and what a request or a session is called, is told nowhere.
        const ids = Object.keys(attributes).filter((key) =>
          /(?:[._]id|^user\..*|^session\..*)$/.test(key),
        );
        expect(
          ids.filter((key) => !ownIds.includes(key)),
          name,
        ).toEqual([]);
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
      "gen_ai.request.stream": true,
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
      "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Say ***"…',
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
}

/** The forms that it has. */
function testContentForms(traced: Trace): void {
  test("G-O4: content is in the forms of the conventions, and stays JSON where it is cut", async () => {
    const runs = traced({ capture: { scrub: (_, value) => value, maxCharacters: 200 } });
    await cases[0]?.run(runs.dragoman, {});
    const [, tool, chat] = runs.sdk.spans();
    const contentOf = (key: string): unknown => JSON.parse(`${chat?.attributes[key]}`);
    expect(tool?.attributes).toMatchObject({
      "gen_ai.tool.call.arguments": '{"a":1,"b":2}',
      "gen_ai.tool.call.result": '{"content":[{"type":"text","content":"3"}]}',
    });
    expect(contentOf("gen_ai.output.messages")).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "Three." }] },
    ]);
    expect(contentOf("gen_ai.tool.definitions")).toMatchObject([
      { type: "function", name: "add", description: "Adds.", parameters: expect.anything() },
    ]);
    expect(contentOf("gen_ai.input.messages")).toBeDefined();
  });

  test("G-O4: content can be events, one for each call; a scrubber that fails lets nothing through", async () => {
    const asEvents = traced({ capture: { scrub: (_, value) => value, as: "events" } });
    await cases[0]?.run(asEvents.dragoman, {});
    const { events, attributes } = asEvents.span("execute_tool add");
    expect(events).toEqual([
      {
        name: "dragoman.execute_tool.details",
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.call.arguments": '{"a":1,"b":2}',
          "gen_ai.tool.call.result": '{"content":[{"type":"text","content":"3"}]}',
        },
      },
    ]);
    expect(attributes).not.toHaveProperty("gen_ai.tool.call.arguments");
    expect(asEvents.span("chat gpt-5").events.map(({ name }) => name)).toEqual([
      "gen_ai.client.inference.operation.details",
    ]);
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

  test("G-O4: without capture a failure says no word of what was thrown", async () => {
    const quiet = traced();
    await cases[6]?.run(quiet.dragoman, {});
    expect(quiet.span("chat gpt-5").statusMessage).toBeUndefined();
    const told = traced({ capture: { scrub: () => "no access" } });
    await cases[6]?.run(told.dragoman, {});
    expect(told.span("chat gpt-5").statusMessage).toBe("no access");
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
    expect(runs.tree).toContain("\n  execute_tool echo INTERNAL\n    tools/call echo CLIENT\n");
    expect(runs.span("execute_tool echo").attributes).not.toHaveProperty("mcp.method.name");
    expect(runs.span("tools/call echo").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
    });
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
