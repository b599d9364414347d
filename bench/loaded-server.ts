/** The server that `npm run bench:server` loads, in a process of its own: `fork` it; it says its address. */

import { systemClock } from "../src/base/clock.ts";
import { silentLogger } from "../src/base/logger.ts";
import { sleep } from "../src/base/sleep.ts";
import { createDragoman } from "../src/configure.ts";
import type { Model, ModelRequest } from "../src/model/model.ts";
import type { ModelEvent } from "../src/model/model-event.ts";
import { noUsage } from "../src/model/usage.ts";
import { createServer } from "../src/server/create-server.ts";
import { defineTool } from "../src/tool/define-tool.ts";

/** What the parent asks for and gets. */
export interface LoadReport {
  readonly kind: "report";
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly cpuMs: number;
}

const turnMs = 20;
const turnsWithTools = 2;
const shortDeltas = 20;
const longDeltas = 4_000;

/** Two turns with a tool, then the answer; each turn takes 20 ms. "long" gets an answer of about 1 MB. */
const model: Model = {
  id: "bench:scripted",
  capabilities: { tools: true, images: true, jsonSchema: true },
  async *stream(request, { signal }): AsyncGenerator<ModelEvent> {
    await sleep(systemClock, turnMs, signal);
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    if (turn < turnsWithTools) {
      yield { kind: "tool-call-start", id: `c${turn}`, name: "add" };
      yield { kind: "tool-call-delta", id: `c${turn}`, text: '{"a":1,"b":2}' };
      yield { kind: "tool-call-end", id: `c${turn}` };
      yield { kind: "finish", reason: "tool-calls", usage: noUsage };
      return;
    }
    const isLong = textOf(request).includes("long");
    for (let count = 0; count < (isLong ? longDeltas : shortDeltas); count += 1) {
      if (count % 20 === 19) {
        await sleep(systemClock, 1, signal); // no model says all at once
      }
      yield { kind: "text-delta", id: "t", text: isLong ? "x".repeat(256) : "word " };
    }
    yield { kind: "finish", reason: "stop", usage: noUsage };
  },
};

const textOf = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(0) ?? null);

const add = defineTool({
  name: "add",
  description: "Adds.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => Number(a) + Number(b),
});

const dragoman = createDragoman({ logger: silentLogger, env: {} });
const server = createServer({
  agents: [dragoman.defineAgent({ name: "bench", model, tools: [add] })],
  limits: { requestsPerMinute: 1_000_000 },
  log: "none",
});
const { url } = await server.listen();

let peakRssBytes = 0;
const watch = setInterval(() => {
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
}, 20);

process.on("message", (asked) => {
  if (asked === "stop") {
    clearInterval(watch);
    void server.close({ graceMs: 0 }).then(() => process.disconnect());
    return;
  }
  const rssBytes = process.memoryUsage.rss();
  const { user, system } = process.cpuUsage();
  process.send?.({
    kind: "report",
    rssBytes,
    peakRssBytes: Math.max(peakRssBytes, rssBytes),
    cpuMs: (user + system) / 1_000,
  } satisfies LoadReport);
  peakRssBytes = 0;
});
process.send?.({ kind: "listening", url });
