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
  const child = fork(new URL("loaded-server.ts", import.meta.url));
  try {
    const [{ url }] = (await once(child, "message")) as [{ readonly url: string }]; // it says so first
    const load = new Load(url);
    await load.runs(50); // compiles what is to be measured
    const before = await report(child);
    const loaded = await measureWaves(load, child);
    const slow = await measureLong(load, child);
    const vanished = await measureVanishing(load, child);
    return {
      table: [
        ["", "runs", "errors", "p50 ms", "p99 ms", "max ms", "peak MiB", "CPU ms/run"],
        ["idle", "0", "0", "", "", "", mib(before.rssBytes), ""],
        ...loaded.rows,
        ...slow.rows,
        ...vanished.rows,
      ],
      claims: [...loaded.claims, ...slow.claims, ...vanished.claims],
    };
  } finally {
    child.send("stop");
    await once(child, "exit");
  }
}

interface Part {
  readonly rows: readonly (readonly string[])[];
  readonly claims: BenchmarkReport["claims"];
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
  };
}

/** The same long answers, to those who take them as they come and to those who do not. */
async function measureLong(load: Load, child: ChildProcess): Promise<Part> {
  const { cpuMs: cpuBefore } = await report(child);
  const quick = await Promise.all(Array.from({ length: longReaders }, () => load.read("long")));
  const { peakRssBytes: quickPeak, cpuMs } = await report(child);
  const slow = Array.from({ length: longReaders }, () => load.read("long", 1_000));
  const beside = await load.runs(longReaders);
  const slowOutcomes = await Promise.all(slow);
  const { peakRssBytes: slowPeak } = await report(child);
  const failed = [...quick, ...slowOutcomes, ...beside].filter(({ error }) => error !== undefined);
  const ratio = slowPeak / quickPeak;
  const cpu = (cpuMs - cpuBefore) / quick.length;
  return {
    rows: [
      rowOf(`${longReaders} long answers`, quick, quickPeak, cpu),
      rowOf("the same, slow readers", slowOutcomes, slowPeak),
      rowOf("short ones beside them", beside, slowPeak),
    ],
    claims: [
      { text: "slow readers get the whole answer, and others theirs", holds: failed.length === 0 },
      {
        text: `with slow readers the server takes less than 1.3 times the memory that it takes with quick ones: ${ratio.toFixed(2)}`,
        holds: ratio < 1.3,
      },
    ],
  };
}

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
        holds: after.every(({ error }) => error === undefined),
      },
    ],
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
