import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";
import { ToolError } from "../base/tool-error.ts";
import { OutputBuffer } from "./output-buffer.ts";
import type { ProcessCommand, ProcessEnd, ProcessOutcome } from "./process-runner.ts";
import type { RunningProcess } from "./running-process.ts";

/** A command with what its runner says. */
export type RunRequest = Pick<ProcessCommand, "program" | "input" | "signal"> & {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
};

/** A program that writes this many times what is kept is ended. */
const flood = 64;

/** How long its outputs are read after it is gone. */
const drainMs = 250;

/**
 * Runs a program to its end, whatever end that is. Nothing that it started is left then.
 *
 * @param start starts it; a failure of the system's (`ENOENT`, …) becomes a `ToolError`.
 * @throws the signal's reason, once all is ended.
 */
export async function runProcess(
  request: RunRequest,
  start: () => Promise<RunningProcess>,
): Promise<ProcessOutcome> {
  const { signal, timeoutMs } = request;
  signal?.throwIfAborted();
  const began = performance.now();
  const running = await started(request.program, start);
  const watched = new WatchedProcess(running, request);
  const onAbort = (): void => running.signal("SIGKILL");
  const timer = setTimeout(() => watched.end({ kind: "timed-out", timeoutMs }), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) {
    onAbort(); // while it was being started
  }
  try {
    const outcome = await watched.outcome();
    signal?.throwIfAborted();
    return { ...outcome, durationMs: Math.round(performance.now() - began) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A program whose outputs are read until it ends, by itself or since it must. */
class WatchedProcess {
  readonly #running: RunningProcess;
  readonly #stdout: OutputBuffer;
  readonly #stderr: OutputBuffer;
  readonly #exited: Promise<ProcessEnd>;
  readonly #closed: Promise<void>;
  #forced: ProcessEnd | undefined;

  constructor(running: RunningProcess, { input, maxOutputBytes }: RunRequest) {
    const { child } = running;
    this.#running = running;
    this.#stdout = new OutputBuffer(maxOutputBytes);
    this.#stderr = new OutputBuffer(maxOutputBytes);
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, name) => resolve(endOf(code, name)));
    });
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
    child.on("error", () => {}); // a signal that could not be sent; the end is awaited in any case
    child.stdin?.on("error", () => {}); // it need not read what it is given
    child.stdin?.end(input);
    for (const [stream, buffer] of [
      [child.stdout, this.#stdout],
      [child.stderr, this.#stderr],
    ] as const) {
      stream?.on("data", (chunk: Buffer) => this.#keep(chunk, buffer, maxOutputBytes * flood));
    }
  }

  /** Ends it with all that it has started. */
  end(why: ProcessEnd): void {
    this.#forced ??= why;
    this.#running.signal("SIGKILL");
  }

  async outcome(): Promise<Omit<ProcessOutcome, "durationMs">> {
    const { child } = this.#running;
    try {
      const own = await this.#exited;
      await this.#running.sweep();
      await Promise.race([this.#closed, sleep(drainMs)]);
      const stderr = this.#stderr.output();
      if (this.#forced === undefined && this.#running.hasFailed?.()) {
        throw setUpFailure(stderr.text);
      }
      return { end: this.#forced ?? own, stdout: this.#stdout.output(), stderr };
    } finally {
      for (const stream of child.stdio) {
        stream?.destroy();
      }
    }
  }

  #keep(chunk: Buffer, buffer: OutputBuffer, mostBytes: number): void {
    buffer.push(chunk);
    if (buffer.bytes > mostBytes) {
      this.end({ kind: "flooded", bytes: buffer.bytes });
    }
  }
}

function setUpFailure(written: string): ConfigurationError {
  const [line = ""] = written.trim().split("\n");
  return new ConfigurationError(`The sandbox could not be set up: ${line.slice(0, 300)}`, {
    code: "sandbox-unavailable",
  });
}

async function started(
  program: string,
  start: () => Promise<RunningProcess>,
): Promise<RunningProcess> {
  try {
    return await start();
  } catch (cause) {
    const code = isJsonObject(cause) ? cause["code"] : undefined;
    if (!(cause instanceof Error) || ConfigurationError.is(cause) || typeof code !== "string") {
      throw cause;
    }
    throw new ToolError(`The program ${JSON.stringify(program)} cannot be started: ${code}.`, {
      cause,
    });
  }
}

const endOf = (code: number | null, name: string | null): ProcessEnd =>
  code === null
    ? { kind: "signalled", signal: name ?? "unknown" }
    : { kind: "exited", exitCode: code };
