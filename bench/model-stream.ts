import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sendHttpRequest } from "../src/http/send-http-request.ts";
import { readServerSentEvents } from "../src/http/server-sent-events.ts";
import type { Model } from "../src/model/model.ts";
import { openAiCompatible } from "../src/models/openai/openai-compatible.ts";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import { measureInterleaved, ratioOfMedians, summarize } from "./statistics.ts";

/** What a token of a long answer costs in CPU, beside the same bytes read without a model. */
export const benchmark: Benchmark = {
  description:
    "CPU per token of a streamed answer: the OpenAI-compatible model, and the same bytes read by the HTTP client, the event reader and JSON.parse alone.",
  async run() {
    // A process of its own: its CPU does not count.
    const server = fork(fileURLToPath(new URL("./token-server.ts", import.meta.url)), [
      `${tokens}`,
    ]);
    try {
      return await measureStreams(await addressOf(server));
    } finally {
      server.kill();
    }
  },
};

const tokens = 20_000;
const rounds = 7;

/** The model is to cost less than this many times what reading the bytes costs. */
const targetRatio = 2;

async function measureStreams(baseUrl: string): Promise<BenchmarkReport> {
  const model = openAiCompatible({ model: "bench", baseUrl });
  const readers = { model: () => readModel(model), bytes: () => readBytes(baseUrl) };
  const names = ["model", "bytes"] as const;
  const costs = await measureInterleaved(names, rounds, (name) => cpuPerToken(readers[name]));
  const rows = names.map((name) => {
    const { min, median, max } = summarize(costs[name]);
    const figures = [min, median, max].map((microseconds) => microseconds.toFixed(2));
    return [name, ...figures, ratioOfMedians(costs[name], costs.bytes).toFixed(2)];
  });
  const ratio = ratioOfMedians(costs.model, costs.bytes);
  return {
    table: [["per token", "min µs", "median µs", "max µs", "of bytes"], ...rows],
    claims: [
      {
        text: `the model takes less than twice the CPU that reading the bytes takes: ${ratio.toFixed(2)}`,
        holds: ratio < targetRatio,
      },
    ],
  };
}

async function addressOf(server: ChildProcess): Promise<string> {
  const [baseUrl] = await once(server, "message");
  return String(baseUrl);
}

async function cpuPerToken(read: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const count = await read();
  const { user, system } = process.cpuUsage(before);
  if (count !== tokens) {
    throw new Error(`Read ${count} tokens instead of ${tokens}.`);
  }
  return (user + system) / tokens;
}

async function readBytes(baseUrl: string): Promise<number> {
  const response = await sendHttpRequest({
    method: "POST",
    url: `${baseUrl}/chat/completions`,
    headers: { "content-type": "application/json" },
    body: "{}",
    maxResponseBytes: 64 * 1024 * 1024,
  });
  let count = 0;
  for await (const batch of readServerSentEvents(response.body)) {
    for (const { data } of batch) {
      if (data !== "[DONE]") {
        count += JSON.parse(data).choices[0].delta.content === undefined ? 0 : 1;
      }
    }
  }
  return count;
}

async function readModel(model: Model): Promise<number> {
  const { signal } = new AbortController();
  let count = 0;
  const request = { messages: [{ role: "system", text: "Go." }], tools: [] } as const;
  for await (const event of model.stream(request, { signal })) {
    count += event.kind === "text-delta" ? 1 : 0;
  }
  return count;
}
