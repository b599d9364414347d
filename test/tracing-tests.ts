import { expect, test } from "vitest";
import * as z from "zod";
import type { RunOptions } from "../src/agent/run-options.ts";
import type { RunResult } from "../src/agent/run-result.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman, type Dragoman, type DragomanConfig } from "../src/configure.ts";
import { ModelError } from "../src/model/model-error.ts";
import {
  OpenTelemetryTracing,
  type OpenTelemetryTracingOptions,
} from "../src/otel/open-telemetry-tracing.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { collect } from "./agent-fixture.ts";
import { fakeStdio } from "./fixtures/mcp/servers.ts";
import { type PlainSpan, treeOf } from "./span-tree.ts";

/** An SDK that keeps what it exports. */
export interface KeepingSdk {
  readonly providers: Required<Pick<OpenTelemetryTracingOptions, "tracerProvider">> & {
    readonly meterProvider: Exclude<
      OpenTelemetryTracingOptions["meterProvider"],
      false | undefined
    >;
  };
  /** All spans that have ended. */
  spans(): readonly PlainSpan[];
  /** All measures: by name, the attributes of each series. */
  measures(): Promise<ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>>;
}

const secret = "s3cr3t";

const add = defineTool({
  name: "add",
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const broken = defineTool({
  name: "broken",
  description: "Fails.",
  execute: () => Promise.reject(new Error(`the ${secret} is out`)),
});
const callAdd = { calls: [{ id: "c1", name: "add", arguments: { a: 1, b: 2 } }] };

/** Runs traced by an SDK. */
class Traced {
  readonly sdk: KeepingSdk;
  readonly dragoman: Dragoman;

  constructor(sdk: KeepingSdk, options: OpenTelemetryTracingOptions, config: DragomanConfig) {
    this.sdk = sdk;
    const instrument = new OpenTelemetryTracing({ ...sdk.providers, ...options });
    this.dragoman = createDragoman({ logger: silentLogger, env: {}, instrument, ...config });
  }

  get tree(): string {
    return treeOf(this.sdk.spans());
  }

  span(name: string): PlainSpan {
    const found = this.sdk.spans().find((span) => span.name === name);
    if (found === undefined) {
      throw new Error(`There is no span "${name}" in\n${this.tree}`);
    }
    return found;
  }
}

/** One kind of run. */
interface Case {
  readonly title: string;
  run(dragoman: Dragoman, options: RunOptions): Promise<RunResult>;
  readonly tree: string;
}

const modelOf = (...turns: Parameters<typeof scriptedModel>[0]) =>
  scriptedModel(turns, { id: "openai:gpt-5" });

const cases: readonly Case[] = [
  {
    title: "a run with a tool",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({ name: "desk", model: modelOf(callAdd, "Three."), tools: [add] })
        .ask("Add", options),
    tree: `
invoke_agent desk INTERNAL
  chat gpt-5 CLIENT
  execute_tool add INTERNAL
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run with a server's tool",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({
          name: "desk",
          model: modelOf(
            { calls: [{ id: "c1", name: "echo", arguments: { text: secret } }] },
            "Ok.",
          ),
          mcp: [{ name: "files", transport: fakeStdio() }],
        })
        .ask("Echo", options),
    tree: `
invoke_agent desk INTERNAL
  dragoman.open_server files INTERNAL
    initialize CLIENT
    tools/list CLIENT
  chat gpt-5 CLIENT
  execute_tool echo CLIENT
  chat gpt-5 CLIENT`,
  },
  {
    title: "a plan",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({
          name: "planner",
          mode: "plan",
          tools: [add],
          model: modelOf(
            JSON.stringify({ thought: "", steps: [{ tool: "add", arguments: { a: 1, b: 2 } }] }),
            "Three.",
          ),
        })
        .ask("Add", options),
    tree: `
invoke_agent planner INTERNAL
  plan planner INTERNAL
    chat gpt-5 CLIENT
  execute_tool add INTERNAL
  chat gpt-5 CLIENT`,
  },
  {
    title: "an assembly within an assembly, and an agent as a tool",
    run: (dragoman, options) => {
      const helper = dragoman.defineAgent({ name: "helper", model: modelOf("Helped.") });
      const boss = dragoman.defineAgent({
        name: "boss",
        model: modelOf(
          { calls: [{ id: "c1", name: "delegate_to_helper", arguments: { request: "Help" } }] },
          "Done.",
        ),
        tools: [helper],
      });
      const inner = dragoman.defineSequence({ name: "inner", members: [boss] });
      return dragoman
        .defineLoop({ name: "outer", members: [inner], maxRounds: 1 })
        .ask("Go", options);
    },
    tree: `
invoke_workflow outer INTERNAL
  invoke_workflow inner INTERNAL
    invoke_agent boss INTERNAL
      chat gpt-5 CLIENT
      execute_tool delegate_to_helper INTERNAL
        invoke_agent helper INTERNAL
          chat gpt-5 CLIENT
      chat gpt-5 CLIENT`,
  },
  {
    title: "a model that is tried again",
    run: (dragoman, options) => {
      const error = new ModelError(`busy with ${secret}`, {
        code: "model-unavailable",
        retryable: true,
        status: 503,
        retryAfterMs: 0,
      });
      return dragoman
        .defineAgent({ name: "desk", model: modelOf({ error }, "Here.") })
        .ask("Go", options);
    },
    tree: `
invoke_agent desk INTERNAL (dragoman.retry)
  chat gpt-5 CLIENT ERROR=503 (exception)
  chat gpt-5 CLIENT`,
  },
  {
    title: "a failing tool, and one that is not there",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({
          name: "desk",
          tools: [broken],
          model: modelOf(
            {
              calls: [
                { id: "c1", name: "broken" },
                { id: "c2", name: "gone" },
              ],
            },
            "It failed.",
          ),
        })
        .ask("Go", options),
    tree: `
invoke_agent desk INTERNAL
  chat gpt-5 CLIENT
  execute_tool gone INTERNAL ERROR=unknown-tool (exception)
  execute_tool broken INTERNAL ERROR=tool-failed (exception)
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run that fails",
    run: (dragoman, options) => {
      const error = new ModelError(`no ${secret}`, { code: "model-unauthorized", status: 401 });
      return dragoman.defineAgent({ name: "desk", model: modelOf({ error }) }).ask("Go", options);
    },
    tree: `
invoke_agent desk INTERNAL ERROR=401 failed (exception)
  chat gpt-5 CLIENT ERROR=401 (exception)`,
  },
  {
    title: "a run that is cancelled in the middle of an answer",
    run: (dragoman, options) => {
      const agent = dragoman.defineAgent({
        name: "desk",
        model: modelOf({ text: "Wait", hangs: true }),
      });
      return cancelledAtText(agent.stream("Go", options));
    },
    tree: `
invoke_agent desk INTERNAL cancelled
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run that waits, and goes on",
    run: async (dragoman, options) => {
      const agent = dragoman.defineAgent({
        name: "desk",
        tools: [add],
        model: modelOf(callAdd, "Three."),
        approval: { default: "ask" },
      });
      const { runId } = await agent.ask("Go", options);
      return agent.resume(runId, { ...options, decisions: { "approval:c1": { kind: "approve" } } });
    },
    tree: `
invoke_agent desk INTERNAL suspended (dragoman.interrupt)
  chat gpt-5 CLIENT
invoke_agent desk INTERNAL (dragoman.decision) linked
  execute_tool add INTERNAL
  chat gpt-5 CLIENT`,
  },
  {
    title: "a run with a session",
    run: (dragoman, options) =>
      dragoman
        .defineAgent({ name: "desk", model: modelOf("Hello.") })
        .ask("Hi", { ...options, session: { id: `chat-${secret}`, store: memorySessions() } }),
    tree: `
invoke_agent desk INTERNAL
  dragoman.session load INTERNAL
  chat gpt-5 CLIENT
  dragoman.session save INTERNAL`,
  },
];

async function cancelledAtText(run: ReturnType<ReturnType<Dragoman["defineAgent"]>["stream"]>) {
  for await (const event of run) {
    if (event.kind === "text-delta") {
      run.cancel();
    }
  }
  return run.result;
}

/** Attributes that a span of each kind of operation must have. */
const required: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^invoke_agent/, ["gen_ai.operation.name", "gen_ai.agent.name", "dragoman.run.outcome"]],
  [/^invoke_workflow/, ["gen_ai.operation.name", "gen_ai.agent.name", "dragoman.network.kind"]],
  [/^chat/, ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"]],
  [/^execute_tool/, ["gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id"]],
  [/^plan/, ["gen_ai.operation.name", "gen_ai.agent.name"]],
  [/^(initialize|tools)/, ["mcp.method.name", "mcp.protocol.version", "network.transport"]],
];

/** What every SDK must get of runs. */
export function testTracing(openSdk: () => KeepingSdk): void {
  const traced = (options: OpenTelemetryTracingOptions = {}, config: DragomanConfig = {}) =>
    new Traced(openSdk(), options, config);

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
        await clock.advance(50);
      }
    }
    expect(runs.tree).toBe(
      "invoke_agent desk INTERNAL ERROR=timeout failed (exception)\n  chat gpt-5 CLIENT ERROR=timeout (exception)",
    );
  });

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
