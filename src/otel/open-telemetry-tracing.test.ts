import { diag, metrics, trace } from "@opentelemetry/api";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, test, vi } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { openSdk3 } from "../../test/sdk-3.ts";
import { testTracing } from "../../test/tracing-tests.ts";
import type { Logger } from "../base/logger.ts";
import type { ActiveSpan, Tracer } from "../base/tracing.ts";
import { createDragoman } from "../configure.ts";
import { defineTool } from "../tool/define-tool.ts";
import { OpenTelemetryTracing } from "./open-telemetry-tracing.ts";
import { type RecordedSpan, SpanRecorder } from "./span-recorder.ts";

describe("G-O1, G-O2, G-O3, G-O4, G-O5: on SDK 3", () => testTracing(openSdk3));

test("G-O4: content is not captured without a scrubber", () => {
  const capture = {} as never;
  expect(() => new OpenTelemetryTracing({ capture })).toThrow(/only with a scrubber/);
  const semanticConventions = "v9" as never;
  expect(() => new OpenTelemetryTracing({ semanticConventions })).toThrow(/"v0.1.0" or "older"/);
});

test("G-O1: without an SDK a run goes on as ever, and tells of no trace", async () => {
  const instrument = new OpenTelemetryTracing();
  const events = await collect(agentOf({ model: modelOf("Hi.") }, { instrument }).stream("Go"));
  expect(events[0]).toEqual(expect.not.objectContaining({ trace: expect.anything() }));
  expect(events.at(-1)).toMatchObject({ kind: "run-end", status: "completed" });
});

test("G-O1, G-O6: the SDK that is registered before the first run gets all, is flushed and shut down", async () => {
  const instrument = new OpenTelemetryTracing(); // there is no SDK yet
  const agent = agentOf({ model: modelOf("Hi.") }, { instrument });
  const sdk = openSdk3();
  const { tracerProvider, meterProvider } = sdk.providers;
  const calls = [tracerProvider, meterProvider].flatMap((provider) => {
    const ending = provider as unknown as Record<"forceFlush" | "shutdown", () => Promise<void>>; // of the SDK
    return [vi.spyOn(ending, "forceFlush"), vi.spyOn(ending, "shutdown")];
  });
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  try {
    await agent.ask("Go");
    expect(sdk.spans().map(({ name }) => name)).toEqual(["chat scripted", "invoke_agent tester"]);
    expect([...(await sdk.measures()).keys()]).toContain("gen_ai.invoke_agent.tool_calls");
    calls.forEach((call) => void call.mockClear());
    await instrument.flush();
    await instrument.shutdown();
  } finally {
    trace.disable();
    metrics.disable();
  }
  expect(calls.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1, 1]);
});

test("G-O6: flush and shutdown reach the providers, and what fails there is only told of", async () => {
  const calls: string[] = [];
  const told: string[] = [];
  diag.setLogger({
    error: (text) => void told.push(text),
    warn: () => {},
    info: () => {},
    debug: () => {},
    verbose: () => {},
  });
  const { tracerProvider, meterProvider } = openSdk3().providers;
  const failing = {
    getTracer: () => tracerProvider.getTracer("x"),
    forceFlush: () => Promise.reject(new Error("the exporter is away")),
    shutdown: async () => void calls.push("shutdown"),
  };
  const tracing = new OpenTelemetryTracing({ tracerProvider: failing, meterProvider });
  await tracing.flush();
  await tracing.shutdown();
  diag.disable();
  expect(told).toEqual([expect.stringContaining("the exporter is away")]);
  expect(calls).toEqual(["shutdown"]);
});

test("G-O6: an exporter that throws, or never answers, harms no run", async () => {
  for (const broken of [
    () => {
      throw new Error("no exporter");
    },
    () => {},
  ]) {
    const exporter = { export: broken, shutdown: async () => {}, forceFlush: async () => {} };
    const tracerProvider = new TracerProvider({
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    const instrument = new OpenTelemetryTracing({ tracerProvider, meterProvider: false });
    const agent = agentOf({ model: modelOf("Hi.") }, { instrument });
    expect((await agent.ask("Go")).status).toBe("completed");
  }
});

/** A tracer each of whose methods throws. */
const throwing = (): never => {
  throw new Error("no tracer");
};
const brokenSpan: ActiveSpan = {
  start: () => brokenSpan,
  set: throwing,
  event: throwing,
  capture: throwing,
  link: throwing,
  run: throwing,
  context: throwing,
  end: throwing,
};

test("of several tracers one that throws is logged once, and harms neither the run nor the others", async () => {
  const warnings: string[] = [];
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: (text) => void warnings.push(text),
    error: () => {},
  };
  let count = 0;
  const tool = defineTool({ name: "count", description: "Counts.", execute: () => ++count });
  const model = () => modelOf({ calls: [{ name: "count" }] }, "Done.");
  const spans: RecordedSpan[] = [];
  const recorder = new SpanRecorder((span) => spans.push(span));
  const tracers: readonly Tracer[] = [{ start: () => brokenSpan }, { start: throwing }, recorder];
  const agent = agentOf({ model: model(), tools: [tool] }, { instrument: tracers, logger });
  expect(await agent.ask("Go")).toMatchObject({ status: "completed", text: "Done." });
  expect(count).toBe(1);
  expect(warnings).toEqual([expect.stringContaining("no tracer")]);
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "chat scripted",
    "chat scripted",
    "execute_tool count",
    "invoke_agent tester",
  ]);
});

test("what the work itself throws within a tracer is the work's", async () => {
  const recorder = new SpanRecorder(() => {});
  const { defineAgent } = createDragoman({ env: {}, instrument: [recorder, recorder] });
  const agent = defineAgent({ name: "desk", model: modelOf({ error: new Error("adapter") }) });
  expect(await agent.ask("Go")).toMatchObject({ status: "failed", error: { message: "adapter" } });
});

test("the recorder's spans are those that OpenTelemetry gets", async () => {
  const recorded: RecordedSpan[] = [];
  const sdk = openSdk3();
  const tool = defineTool({ name: "count", description: "Counts.", execute: () => 1 });
  const instrument = [
    new OpenTelemetryTracing({ ...sdk.providers }),
    new SpanRecorder((span) => recorded.push(span)),
  ];
  const model = modelOf({ calls: [{ name: "count" }, { name: "gone" }] }, "Done.");
  await agentOf({ model, tools: [tool] }, { instrument }).ask("Go");
  const kinds = ["internal", "server", "client"] as const;
  const untimed = ({
    "gen_ai.response.time_to_first_chunk": _,
    ...rest
  }: object & {
    readonly "gen_ai.response.time_to_first_chunk"?: unknown;
  }) => rest;
  expect(
    recorded.map(({ name, kind, attributes, status }) => ({
      name,
      kind,
      status,
      attributes: untimed(attributes),
    })),
  ).toEqual(
    sdk.spans().map(({ name, kind, attributes, status }) => ({
      name,
      kind: kinds[kind],
      status: status === 2 ? "error" : "unset",
      attributes: untimed(attributes),
    })),
  );
});
