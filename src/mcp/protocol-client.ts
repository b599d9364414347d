import type { Client } from "@modelcontextprotocol/client";
import { untilAborted } from "../base/abort.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { version } from "../base/version.ts";
import type { McpTransport } from "../tool/mcp-server-config.ts";
import type { ToolProgress } from "../tool/tool.ts";
import { createLink } from "./create-link.ts";
import { McpError } from "./mcp-error.ts";
import { type ErrorClasses, toMcpError } from "./protocol-errors.ts";
import type { ServerLink } from "./protocol-transport.ts";
import { TimeLimits } from "./time-limits.ts";
import { visibleLine } from "./visible-text.ts";

/** How a client is opened. */
export interface OpenClientOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly transport: McpTransport;
  /** For the start of the server and the handshake together, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
}

/** How long a request may take, and who hears of it meanwhile. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  /** How long the server may be silent, in milliseconds: progress starts the time anew. */
  readonly timeoutMs: number;
  /** How long the request may take in all, in milliseconds. */
  readonly totalTimeoutMs: number;
  /** Where it is given, the server is asked for progress. */
  readonly onProgress?: (progress: ToolProgress) => void;
}

/** Who we say we are. */
const clientInfo = { name: "dragoman", version };

/** The SDK's own time limit, put out of the way: ours also knows of progress. */
const neverMs = 0x7fff_ffff;

/** What a server is told of a request that we no longer wait for. The caller's reason is not its business. */
const cancelNotice = "The client no longer waits for the result.";

/** Takes any result: what is in it is checked where it is used, part by part. */
const anyResult = {
  "~standard": { version: 1, vendor: "dragoman", validate: (value: unknown) => ({ value }) },
} as const;

/**
 * The SDK's client of one server, connected. The SDK is loaded with the first connection, and this
 * file, `create-link.ts` and `protocol-errors.ts` are all that know it at run time.
 *
 * It speaks the revisions up to 2025-11-25 and advertises no capabilities: a server that asks for
 * roots, sampling or elicitation is told that there is no such method; a ping is answered.
 */
export class ProtocolClient {
  readonly #client: Client;
  readonly #link: ServerLink;
  readonly #clock: Clock;
  readonly #classes: ErrorClasses;

  private constructor(client: Client, link: ServerLink, clock: Clock, classes: ErrorClasses) {
    this.#client = client;
    this.#link = link;
    this.#clock = clock;
    this.#classes = classes;
  }

  /**
   * Starts or reaches the server and shakes hands. Whoever opens it closes it.
   *
   * @throws McpError where that fails, and the signal's reason where it aborts; what was opened is
   *   then closed.
   */
  static async open(options: OpenClientOptions): Promise<ProtocolClient> {
    const { server, transport, signal, clock = systemClock } = options;
    const sdk = await import("@modelcontextprotocol/client");
    const link = await createLink(server, transport);
    signal.throwIfAborted();
    const client = new sdk.Client(clientInfo, { capabilities: {} });
    client.onerror = () => {}; // out of band: what matters also fails a request
    const opened = new ProtocolClient(client, link, clock, sdk);
    try {
      await opened.#connect(options);
    } catch (error) {
      await link.abandon();
      throw error;
    }
    return opened;
  }

  /** The server as it names itself. */
  get serverInfo(): { readonly name: string; readonly version: string } | undefined {
    const info = this.#client.getServerVersion();
    return info && { name: visibleLine(info.name, 100), version: visibleLine(info.version, 100) };
  }

  /** What the server says on its use. It is a stranger's text. */
  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  /**
   * Sends a request and gives the result as the server sent it. When the signal aborts it rejects at
   * once with its reason, and the server is told that nobody waits.
   *
   * @throws McpError
   */
  async request(
    method: string,
    params: JsonObject,
    { signal, timeoutMs, totalTimeoutMs, onProgress }: RequestOptions,
  ): Promise<JsonObject> {
    signal.throwIfAborted();
    const ending = new AbortController();
    const onAbort = (): void => ending.abort(cancelNotice);
    const limits = new TimeLimits(this.#clock, { timeoutMs, totalTimeoutMs }, onAbort);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const result = await this.#client.request({ method, params }, anyResult, {
        signal: ending.signal,
        timeout: neverMs,
        ...(onProgress && {
          onprogress: (progress) => {
            limits.startAnew();
            onProgress(toProgress(progress));
          },
        }),
      });
      return isJsonObject(result) ? result : {}; // the SDK lets nothing else through
    } catch (error) {
      signal.throwIfAborted();
      throw limits.tooLong === undefined
        ? toMcpError(error, { link: this.#link, connecting: false }, this.#classes)
        : this.#timeout(`did not answer ${method} within ${limits.tooLong} ms`, error);
    } finally {
      limits.end();
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the session and the server's process. It does not reject. */
  close(): Promise<void> {
    return this.#link.close();
  }

  /** The same with little patience. */
  abandon(): Promise<void> {
    return this.#link.abandon();
  }

  async #connect({ timeoutMs, signal }: OpenClientOptions): Promise<void> {
    const late = new AbortController();
    const cancelTimer = this.#clock.startTimer(() => late.abort(), timeoutMs);
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const connecting = this.#client.connect(this.#link, { signal: either, timeout: neverMs });
      await untilAborted(connecting, either);
    } catch (error) {
      signal.throwIfAborted();
      throw late.signal.aborted
        ? this.#timeout(
            `did not finish the handshake within ${timeoutMs} ms. Is it an MCP server? If it is slow to start, raise timeoutMs`,
            error,
          )
        : this.#refusal(error);
    } finally {
      cancelTimer();
    }
  }

  /** Why the handshake failed. */
  #refusal(error: unknown): McpError {
    const failure = toMcpError(error, { link: this.#link, connecting: true }, this.#classes);
    if (failure.code !== "mcp-remote-error") {
      return failure;
    }
    const { server, label } = this.#link;
    const said = visibleLine(failure.message, 300);
    return new McpError(`${label} refuses the handshake: ${said}`, {
      code: failure.code,
      server,
      cause: failure.cause,
      ...(failure.remote === undefined ? {} : { remote: failure.remote }),
    });
  }

  #timeout(what: string, cause: unknown): McpError {
    const { server, label } = this.#link;
    const facts = this.#link.diagnosis();
    return new McpError(`${label} ${what}.${facts && `\n${facts}`}`, {
      code: "mcp-timeout",
      server,
      cause,
    });
  }
}

function toProgress(progress: {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}): ToolProgress {
  const { progress: done, total, message } = progress;
  return {
    progress: done,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: visibleLine(message, 500) }),
  };
}
