import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import type { LoadReport } from "./loaded-server.ts";

/** What a server does with many who stream, with slow readers and with those who vanish. */
export const benchmark: Benchmark = {
  description:
    "500 AG-UI runs at once over loopback, four times, each of 3 model turns of 20 ms with 2 tool calls and 20 pieces of text; then answers of 1 MB to 50 readers, quick ones and such as stop for three seconds, with 50 short runs beside the latter; then 200 who vanish in the midst. The server is a process of its own; memory is its resident set.",
  run: measure,
};

const concurrent = 500;
const waves = 4;
const longReaders = 50;
const vanishing = 200;
const mebibyte = 1024 * 1024;

async function measure(): Promise<BenchmarkReport> {
  const parts = [
    await withServer(measureWaves),
    await withServer(measureQuick),
    await withServer(measureSlow),
    await withServer(measureVanishing),
  ];
  const [, quick, slow] = parts;
  const ratio = (slow?.peakRssBytes ?? 0) / (quick?.peakRssBytes ?? 1);
  return {
    table: [
      ["", "runs", "errors", "p50 ms", "p99 ms", "max ms", "peak MiB", "CPU ms/run"],
      ...parts.flatMap(({ rows }) => rows),
    ],
    claims: [
      ...parts.flatMap(({ claims }) => claims),
      {
        text: `with slow readers the server takes less than 1.3 times the memory that it takes with quick ones: ${ratio.toFixed(2)}`,
        holds: ratio < 1.3,
      },
    ],
  };
}

/** Each part has a server of its own, which has compiled what is measured. */
async function withServer(
  measured: (load: Load, child: ChildProcess) => Promise<Part>,
): Promise<Part> {
  const child = fork(new URL("loaded-server.ts", import.meta.url));
  try {
    const [{ url }] = (await once(child, "message")) as [{ readonly url: string }]; // it says so first
    const load = new Load(url);
    await load.runs(50);
    await report(child); // forgets the peak
    return await measured(load, child);
  } finally {
    child.send("stop");
    await once(child, "exit");
  }
}

interface Part {
  readonly rows: readonly (readonly string[])[];
  readonly claims: BenchmarkReport["claims"];
  readonly peakRssBytes: number;
}

async function measureWaves(load: Load, child: ChildProcess): Promise<Part> {
  const { cpuMs: cpuBefore } = await report(child);
  const results: readonly RunOutcome[] = await inTurn(waves, () => load.runs(concurrent));
  const { peakRssBytes, cpuMs } = await report(child);
  const failed = results.filter(({ error }) => error !== undefined);
  return {
    rows: [
      rowOf(`${concurrent} at once`, results, peakRssBytes, (cpuMs - cpuBefore) / results.length),
    ],
    claims: [
      {
        text: `${results.length} runs, ${concurrent} at once, without an error${failed.length === 0 ? "" : `: ${failed.length} failed, first ${failed[0]?.error}`}`,
        holds: failed.length === 0,
      },
    ],
    peakRssBytes,
  };
}

async function measureQuick(load: Load, child: ChildProcess): Promise<Part> {
  const { cpuMs: cpuBefore } = await report(child);
  const outcomes = await Promise.all(Array.from({ length: longReaders }, () => load.read("long")));
  const { peakRssBytes, cpuMs } = await report(child);
  const cpu = (cpuMs - cpuBefore) / outcomes.length;
  return {
    rows: [rowOf(`${longReaders} long answers`, outcomes, peakRssBytes, cpu)],
    claims: [{ text: "quick readers get the whole answer", holds: isWhole(outcomes) }],
    peakRssBytes,
  };
}

/** The same answers, to those who do not take them as they come. */
async function measureSlow(load: Load, child: ChildProcess): Promise<Part> {
  const slow = Array.from({ length: longReaders }, () => load.read("long", 1_000));
  const beside = await load.runs(longReaders);
  const outcomes = await Promise.all(slow);
  const { peakRssBytes } = await report(child);
  return {
    rows: [
      rowOf("the same, slow readers", outcomes, peakRssBytes),
      rowOf("short ones beside them", beside, peakRssBytes),
    ],
    claims: [
      {
        text: "slow readers get the whole answer, and others theirs",
        holds: isWhole([...outcomes, ...beside]),
      },
    ],
    peakRssBytes,
  };
}

const isWhole = (outcomes: readonly RunOutcome[]): boolean =>
  outcomes.every(({ error }) => error === undefined);

async function measureVanishing(load: Load, child: ChildProcess): Promise<Part> {
  await Promise.all(Array.from({ length: vanishing }, () => load.vanish()));
  let left = await load.openRequests();
  for (let tries = 0; left > 1 && tries < 100; tries += 1) {
    await pause(50);
    left = await load.openRequests();
  }
  const after = await load.runs(concurrent);
  const { peakRssBytes } = await report(child);
  return {
    rows: [rowOf(`after ${vanishing} vanished`, after, peakRssBytes)],
    claims: [
      { text: `of ${vanishing} who vanished, no request is left open`, holds: left <= 1 },
      {
        text: "afterwards the server serves as before",
        holds: isWhole(after),
      },
    ],
    peakRssBytes,
  };
}

interface RunOutcome {
  readonly ms: number;
  readonly error?: string;
}

/** Sends what a server is loaded with. */
class Load {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  #count = 0;

  constructor(url: string) {
    this.#url = url;
  }

  runs(count: number): Promise<readonly RunOutcome[]> {
    return Promise.all(Array.from({ length: count }, () => this.read("short")));
  }

  /** Reads an answer; with `pauseMs` the first three pieces only after so long each. */
  async read(text: string, pauseMs = 0): Promise<RunOutcome> {
    const start = performance.now();
    try {
      const response = await this.#ask(text);
      let all = "";
      let pieces = 0;
      for await (const piece of response) {
        all += piece;
        pieces += 1;
        if (pauseMs > 0 && pieces <= 3) {
          await pause(pauseMs);
        }
      }
      return outcomeOf(all, start);
    } catch (thrown) {
      return { ms: performance.now() - start, error: String(thrown) };
    }
  }

  /** Leaves when the first event has come. */
  async vanish(): Promise<void> {
    const response = await this.#ask("short");
    await once(response, "readable");
    response.on("error", () => {}); // that is what vanishing looks like
    response.destroy();
  }

  async openRequests(): Promise<number> {
    const response = await fetch(`${this.#url}/healthz`);
    const { openRequests } = (await response.json()) as { readonly openRequests: number }; // ours
    return openRequests;
  }

  #ask(content: string): Promise<IncomingMessage> {
    this.#count += 1;
    const id = `run-${this.#count}`;
    const body = JSON.stringify({
      threadId: id,
      runId: id,
      protocolVersion: "1.0",
      messages: [{ id: "m", role: "user", content }],
      tools: [],
      context: [],
    });
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url}/agents/bench/ag-ui`,
        {
          method: "POST",
          agent: this.#agent,
          headers: { "content-type": "application/json", accept: "text/event-stream" },
        },
        (response) => resolve(response.setEncoding("utf8")),
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

function outcomeOf(all: string, start: number): RunOutcome {
  const ms = performance.now() - start;
  return all.includes('"type":"RUN_FINISHED"') ? { ms } : { ms, error: all.slice(-300) };
}

function rowOf(
  name: string,
  outcomes: readonly RunOutcome[],
  peakRssBytes: number,
  cpuMs?: number,
): readonly string[] {
  const times = outcomes.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0);
  const errors = outcomes.filter(({ error }) => error !== undefined).length;
  return [
    name,
    String(outcomes.length),
    String(errors),
    at(0.5),
    at(0.99),
    at(1),
    mib(peakRssBytes),
    cpuMs?.toFixed(1) ?? "",
  ];
}

const mib = (bytes: number): string => (bytes / mebibyte).toFixed(0);

async function report(child: ChildProcess): Promise<LoadReport> {
  const answer = once(child, "message");
  child.send("report");
  const [message] = (await answer) as [LoadReport]; // it answers with nothing else
  return message;
}

async function inTurn<Value>(
  count: number,
  work: () => Promise<readonly Value[]>,
): Promise<readonly Value[]> {
  const all: Value[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    all.push(...(await work()));
  }
  return all;
}
