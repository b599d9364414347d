import type { ChildProcess } from "node:child_process";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import { type RunningProcess, startProcess } from "../../process/running-process.ts";
import type { StdioTransport } from "../../tool/mcp-server-config.ts";
import { hideValues } from "../secrets/hide-values.ts";
import { secretsIn } from "../secrets/secret-arguments.ts";
import { visibleLine } from "../text/visible-text.ts";
import { AwaitedAnswers } from "../wire/awaited-answers.ts";
import { McpError, type McpErrorCode } from "../wire/mcp-error.ts";
import { messagesInLine } from "../wire/messages-in-line.ts";
import type { RpcId, RpcMessage } from "../wire/rpc-message.ts";
import type { ServerLink, StrayOutput } from "../wire/server-link.ts";
import { environmentInSandbox, joinedEnvironment } from "./inherited-environment.ts";
import { LineReader } from "./line-reader.ts";
import { startFailure } from "./start-failure.ts";
import { TailBuffer } from "./tail-buffer.ts";

/** What a {@link StdioLink} is made of. */
export interface StdioLinkOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly transport: StdioTransport;
  /** What the child inherits; the transport's own `env` is added. */
  readonly inheritedEnv: Readonly<Record<string, string>>;
}

/** How long the child may take for each step of its end. */
interface Patience {
  /** From the end of its input to SIGTERM. */
  readonly inputMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly signalMs: number;
}

/** Messages that go out in one write. */
interface Batch {
  readonly lines: string[];
  readonly written: PromiseWithResolvers<void>;
}

const mebibyte = 1024 * 1024;

/** How long the pipes are read after the child is gone: a grandchild may hold them open for ever. */
const drainMs = 250;

/** What no signal ends, within a time in which the system ends everything else, we cannot end. */
const killMs = 5000;

const stderrBytes = 64 * 1024;

/**
 * An MCP server as a child process: one JSON-RPC message a line on its standard input and output
 * (MCP 2025-11-25, basic/transports). It lives in a process group of its own, of which `close()`
 * leaves nothing; lines that are not JSON-RPC are skipped and counted, and one that was to be an answer
 * ends its request; the end of its standard error is kept for error messages.
 */
export class StdioLink implements ServerLink {
  onmessage: ServerLink["onmessage"];
  onclose: ServerLink["onclose"];

  readonly server: string;
  readonly label: string;
  readonly #options: StdioLinkOptions;
  readonly #stderr = new TailBuffer(stderrBytes);
  readonly #reader: LineReader;
  readonly #awaited = new AwaitedAnswers();
  /** The connection is over; the process may still be on its way out. */
  readonly #over = Promise.withResolvers<void>();
  /** Nothing is left of the process and what it started. */
  readonly #gone = Promise.withResolvers<void>();
  #running: RunningProcess | undefined;
  #starting: Promise<RunningProcess> | undefined;
  #batch: Batch | undefined;
  #draining: NodeJS.Timeout | undefined;
  #failure: McpError | undefined;
  #closing: Promise<void> | undefined;
  #finished = false;
  #skipped = 0;
  #lastSkipped = "";

  constructor(options: StdioLinkOptions) {
    this.#options = options;
    this.server = options.server;
    this.label = `The MCP server "${options.server}" (command ${JSON.stringify(options.transport.command)})`;
    const maxBytes = options.transport.maxResponseBytes ?? 10 * mebibyte;
    this.#reader = new LineReader({
      maxBytes,
      onLine: (line) => this.#receive(line),
      onOverflow: () =>
        this.#finish(
          "mcp-limit",
          `sent a message of more than ${maxBytes} bytes and was ended. Raise maxResponseBytes of its transport if that is expected`,
        ),
    });
  }

  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  async start(): Promise<void> {
    try {
      this.#starting = this.#startProgram();
      this.#running = await this.#starting;
    } catch (cause) {
      this.#finished = true;
      this.#gone.resolve();
      throw this.#notStarted(cause);
    }
    this.#listen(this.#running.child);
  }

  /** Writes a message; all messages of one turn of the event loop go out in one write. */
  send(message: RpcMessage): Promise<void> {
    if (this.#running === undefined || this.#finished) {
      return Promise.reject(
        this.#failure ?? this.#error("mcp-connection-closed", "is not running"),
      );
    }
    this.#awaited.sent(message);
    this.#batch ??= this.#startBatch();
    this.#batch.lines.push(`${JSON.stringify(message)}\n`);
    return this.#batch.written.promise;
  }

  forget(id: RpcId): void {
    this.#awaited.forget(id);
  }

  failure(): McpError | undefined {
    return this.#failure;
  }

  diagnosis(): string {
    const lines = this.#stderr.lastLines(5);
    const facts = [
      ...(this.#skipped === 0
        ? []
        : [
            `It wrote ${this.#skipped} line(s) to its standard output that are not JSON-RPC, the last one: ${JSON.stringify(this.#lastSkipped)}. A server's own messages belong on its standard error.`,
          ]),
      ...(lines.length === 0
        ? ["It wrote nothing to its standard error."]
        : ["The last lines of its standard error:", ...lines.map((line) => `  ${line}`)]),
    ];
    return this.hide(facts.join("\n"));
  }

  strayOutput(): StrayOutput | undefined {
    return this.#skipped === 0
      ? undefined
      : { lines: this.#skipped, last: this.hide(this.#lastSkipped) };
  }

  hide(text: string): string {
    const { args = [], env = {} } = this.#options.transport;
    return hideValues(text, [...Object.values(env), ...secretsIn(args)]);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end({ inputMs: 1000, signalMs: 1000 });
    return this.#closing;
  }

  async abandon(): Promise<void> {
    const ending = this.#end({ inputMs: 0, signalMs: drainMs });
    this.#closing ??= ending;
    await ending;
  }

  async #startProgram(): Promise<RunningProcess> {
    const { command, args = [], env = {}, cwd, sandbox } = this.#options.transport;
    const { inheritedEnv } = this.#options;
    if (sandbox === undefined) {
      const whole = joinedEnvironment(inheritedEnv, env, process.platform);
      return startProcess({ command, args, env: whole, cwd });
    }
    const { startSandboxed } = await import("../../process/start-sandboxed.ts");
    const inherited = environmentInSandbox(inheritedEnv, sandbox);
    return startSandboxed({ program: command, args, env: { ...inherited, ...env }, cwd }, sandbox);
  }

  /** What is wrong with a sandbox is for the programmer to mend, and must not pass for a server that is down. */
  #notStarted(cause: unknown): Error {
    return ConfigurationError.is(cause)
      ? new ConfigurationError(`${this.label} cannot be started: ${messageOf(cause)}`, {
          code: cause.code,
          cause,
        })
      : this.#error(
          "mcp-connect-failed",
          `cannot be started: ${startFailure(cause, this.#options.transport)}`,
          cause,
        );
  }

  #listen(child: ChildProcess): void {
    // On Windows it is told late that there is no such program; else it is a signal that was not sent.
    child.on("error", (error) => this.#startedNothing(error));
    child.stdin?.on("error", () => {}); // EPIPE: the child's end tells more
    child.stdout?.on("data", (chunk: Buffer) => this.#reader.push(chunk));
    child.stdout?.once("end", () => this.#drained(child, "closed its standard output"));
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    child.once("exit", () => {
      this.#drained(child, endOf(child));
      child.once("close", () => this.#finish("mcp-connection-closed", endOf(child)));
    });
  }

  #startedNothing(error: Error): void {
    if ("code" in error && error.code === "ENOENT") {
      const why = startFailure(error, this.#options.transport);
      this.#finish("mcp-connect-failed", `cannot be started: ${why}`);
    }
  }

  /** The end is near: after a moment, in which the rest is read, the connection is over. */
  #drained(child: ChildProcess, end: string): void {
    this.#draining ??= setTimeout(
      () => this.#finish("mcp-connection-closed", endOf(child) || end),
      drainMs,
    );
  }

  #finish(code: McpErrorCode, end: string): void {
    if (this.#finished) {
      return;
    }
    this.#finished = true;
    clearTimeout(this.#draining);
    this.#reader.end();
    if (this.#closing === undefined) {
      this.#failure = this.#error(code, `${end}${npxRefusal(this.#stderr.lastLines(5))}`);
    }
    this.#over.resolve();
    void this.#release();
    this.onclose?.();
  }

  async #release(): Promise<void> {
    const running = this.#running;
    if (running !== undefined) {
      running.signal("SIGKILL");
      await exitOf(running.child);
      await running.sweep();
      for (const stream of running.child.stdio) {
        stream?.destroy();
      }
    }
    this.#gone.resolve();
  }

  async #end({ inputMs, signalMs }: Patience): Promise<void> {
    const running = await this.#starting?.catch(() => undefined);
    if (running === undefined) {
      return;
    }
    this.#flush();
    running.child.stdin?.end();
    if (!(await this.#goneWithin(inputMs))) {
      running.signal("SIGTERM");
      if (!(await this.#goneWithin(signalMs))) {
        running.signal("SIGKILL");
        await this.#goneWithin(killMs);
      }
    }
  }

  async #goneWithin(milliseconds: number): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), milliseconds);
    const gone = this.#gone.promise.then(() => true);
    return Promise.race([gone, late.promise]).finally(() => clearTimeout(timer));
  }

  #startBatch(): Batch {
    const batch: Batch = { lines: [], written: Promise.withResolvers() };
    batch.written.promise.catch(() => {}); // each sender has its own view of it
    process.nextTick(() => this.#flush()); // after all that this turn has to say
    return batch;
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch === undefined) {
      return;
    }
    const child = this.#running?.child;
    child?.stdin?.write(batch.lines.join(""), (cause) => {
      if (!cause) {
        batch.written.resolve();
        return;
      }
      const end = "does not read its standard input";
      this.#drained(child, end); // mostly it is gone, and its end says more
      void this.#over.promise.then(() =>
        batch.written.reject(this.#failure ?? this.#error("mcp-connection-closed", end, cause)),
      );
    });
  }

  #receive(line: string): void {
    const found = messagesInLine(line);
    if (found.length === 0 && line.trim() !== "") {
      this.#skipped += 1;
      this.#lastSkipped = visibleLine(line, 200);
    }
    for (const message of this.#awaited.heard(found, line)) {
      this.onmessage?.(message);
    }
  }

  #error(code: McpErrorCode, end: string, cause?: unknown): McpError {
    const said = code === "mcp-connect-failed" ? "" : `\n${this.diagnosis()}`;
    return new McpError(`${this.label} ${end}.${said}`, {
      code,
      server: this.server,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  if (signalCode !== null) {
    return `was ended by the signal ${signalCode}`;
  }
  return exitCode === null ? "" : `ended with exit code ${exitCode}`;
}

/** npx asks before it installs anything, and there is nobody to answer. */
const npxRefusal = (lines: readonly string[]): string =>
  lines.some((line) => /npx canceled due to missing packages/.test(line))
    ? ': npx installs a package only with "-y" before its name'
    : "";

async function exitOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once("exit", resolve));
  }
}
