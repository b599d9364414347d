import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import * as z from "zod";
import type { Agent } from "../src/agent/agent.ts";
import type { TraceOperation } from "../src/base/trace-operation.ts";
import type { ActiveSpan, Tracer } from "../src/base/tracing.ts";
import { createDragoman } from "../src/configure.ts";
import type { Model } from "../src/model/model.ts";
import { openAiCompatible } from "../src/models/openai/openai-compatible.ts";
import { OpenTelemetryTracing } from "../src/otel/open-telemetry-tracing.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import { measureInterleaved, ratioOfMedians, summarize } from "./statistics.ts";

/** What traces cost: CPU of an agent's run without and with OpenTelemetry, and what is left of runs. */
export const benchmark: Benchmark = {
  description:
    "CPU of a run (6 model calls over HTTP, 10 tool calls, 200 tokens of answer) with no tracer, the same again (A/A), with OpenTelemetry's SDK 3 and a batch processor, and with as many plain spans of that SDK that say nothing; heap that 5,000 traced runs leave.",
  async run() {
    // A process of its own: its CPU does not count.
    const server = fork(fileURLToPath(new URL("./loop-server.ts", import.meta.url)), ["5", "200"]);
    try {
      return await measure(await addressOf(server));
    } finally {
      server.kill();
    }
  },
};

const rounds = 101;
const runsPerMeasure = 12;
/** Before the first measure, so that all that is compiled is compiled. */
const warmUps = 10;
const heapRuns = 5_000;

const mostRatio = 1.1;
const mostBytes = 100;

const tools = [
  defineTool({
    name: "add",
    description: "Adds two numbers.",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  }),
  defineTool({
    name: "lookup",
    description: "Looks up a key.",
    inputSchema: z.object({ key: z.string() }),
    execute: ({ key }) => `value of ${key}`,
  }),
];

const exporter = {
  export: (_spans: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
  shutdown: async () => {},
  forceFlush: async () => {},
};

const openProvider = (): TracerProvider =>
  new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });

const openTracing = (): OpenTelemetryTracing =>
  new OpenTelemetryTracing({ tracerProvider: openProvider(), meterProvider: false });

/** The least that spans of the SDK cost: their names, and nothing else. */
function plainTracing(): Tracer {
  const tracer = openProvider().getTracer("plain");
  const start = ({ kind }: TraceOperation, within: Context): ActiveSpan => {
    const span = tracer.startSpan(kind, {}, within);
    const place = trace.setSpan(within, span);
    return {
      start: (operation) => start(operation, place),
      set: () => {},
      event: () => {},
      capture: () => {},
      link: () => {},
      run: (work) => work(),
      context: () => undefined,
      end: () => span.end(),
    };
  };
  return { start: (operation) => start(operation, ROOT_CONTEXT) };
}

const agentOf = (model: Model, tracing?: Tracer): Agent =>
  createDragoman({ env: {}, ...(tracing && { instrument: tracing }) }).defineAgent({
    name: "bench",
    model,
    tools,
  });

async function measure(baseUrl: string): Promise<BenchmarkReport> {
  const model = openAiCompatible({ model: "bench", baseUrl });
  const tracing = openTracing();
  const agents = {
    off: agentOf(model),
    again: agentOf(model),
    batch: agentOf(model, tracing),
    "plain spans": agentOf(model, plainTracing()),
  };
  const names = ["off", "again", "batch", "plain spans"] as const;
  for (let round = 0; round < warmUps; round += 1) {
    for (const name of names) {
      await cpuPerRun(agents[name]);
    }
  }
  const costs = await measureInterleaved(names, rounds, (name) => cpuPerRun(agents[name]));
  const rows = names.map((name) => {
    const { min, median, max } = summarize(costs[name]);
    const figures = [min, median, max].map((microseconds) => microseconds.toFixed(0));
    return [name, ...figures, ratioOfMedians(costs[name], costs.off).toFixed(3)];
  });
  const ratio = ratioOfMedians(costs.batch, costs.off);
  const bytes = await bytesLeftPerRun(tracing);
  const places = await tracingAllocations();
  await tracing.shutdown();
  return {
    table: [["per run", "min µs", "median µs", "max µs", "of off"], ...rows],
    claims: [
      {
        text: `a run with a batch processor takes at most ${mostRatio} times the CPU: ${ratio.toFixed(3)}`,
        holds: ratio <= mostRatio,
      },
      {
        text: `${heapRuns} traced runs leave at most ${mostBytes} B each: ${bytes.toFixed(0)}`,
        holds: bytes <= mostBytes,
      },
      {
        text: `without a tracer a heap profile shows no span: ${places.join(", ") || "none"}`,
        holds: places.length === 0,
      },
    ],
  };
}

async function addressOf(server: ChildProcess): Promise<string> {
  const [baseUrl] = await once(server, "message");
  return String(baseUrl);
}

/** In microseconds. */
async function cpuPerRun(agent: Agent): Promise<number> {
  const before = process.cpuUsage();
  for (let run = 0; run < runsPerMeasure; run += 1) {
    (await agent.ask("Go")).orThrow();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / runsPerMeasure;
}

/** A model in this process that keeps nothing: it asks for a tool, and then answers. */
const forgetful: Model = {
  id: "forgetful",
  capabilities: { tools: true, images: false, jsonSchema: true },
  async *stream({ messages }) {
    const isFirst = messages.at(-1)?.role !== "tool";
    if (isFirst) {
      yield { kind: "tool-call-start", id: "c", name: "lookup" };
      yield { kind: "tool-call-delta", id: "c", text: '{"key":"k"}' };
      yield { kind: "tool-call-end", id: "c" };
    } else {
      yield { kind: "text-delta", id: "t", text: "Done." };
    }
    const usage = { inputTokens: 1, outputTokens: 1 };
    yield { kind: "finish", reason: isFirst ? "tool-calls" : "stop", usage };
  },
};

async function bytesLeftPerRun(tracing: OpenTelemetryTracing): Promise<number> {
  const agent = agentOf(forgetful, tracing);
  const runMany = async (count: number): Promise<number> => {
    for (let run = 0; run < count; run += 1) {
      (await agent.ask("Go")).orThrow();
    }
    await tracing.flush();
    return usedHeap();
  };
  await runMany(1_000);
  const before = await runMany(1_000);
  return ((await runMany(heapRuns)) - before) / heapRuns;
}

async function usedHeap(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag exposes
  for (let count = 0; count < 3; count += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

interface ProfileNode {
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

/** Functions that make spans and that allocated anything in runs without a tracer. */
async function tracingAllocations(): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 256,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  const agent = agentOf(forgetful);
  for (let run = 0; run < 500; run += 1) {
    (await agent.ask("Go")).orThrow();
  }
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  const walk = (node: ProfileNode): readonly ProfileNode[] => [
    node,
    ...node.children.flatMap(walk),
  ];
  return walk(profile.head)
    .filter(({ callFrame: { url }, selfSize }) => selfSize > 0 && isTracing(url))
    .map(({ callFrame }) => callFrame.functionName);
}

const isTracing = (url: string): boolean => /\/src\/otel\/|tracer-group|@opentelemetry/.test(url);
