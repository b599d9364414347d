import { untilAborted } from "../base/abort.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { McpServerConfig, McpTransport } from "../tool/mcp-server-config.ts";
import type { ToolProgress } from "../tool/tool.ts";
import { isCustomTransport, type McpCustomTransport } from "./custom-link.ts";
import { listTools } from "./list-tools.ts";
import { McpError } from "./mcp-error.ts";
import { resolveLimits } from "./mcp-limits.ts";
import type { McpSession, ServerGreeting } from "./mcp-session.ts";
import { openSession } from "./open-session.ts";
import type { RequestOptions } from "./request-table.ts";
import { retrying } from "./retrying.ts";
import type { McpCallResult } from "./to-tool-result.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

/** A server that may be reached by a transport of the application's. */
export interface McpConnectionConfig extends Omit<McpServerConfig, "transport"> {
  readonly transport: McpTransport | McpCustomTransport;
}

/** How a connection is opened. */
export interface McpConnectionOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Hears what the server tells of its own accord, at most 1 000 messages a second. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
}

/** How a tool is called. */
export interface CallToolOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the server may be silent, in milliseconds. Default: the configuration's. */
  readonly timeoutMs?: number;
  /** Sent beside the arguments, under namespaced keys. */
  readonly meta?: JsonObject;
  readonly onProgress?: (progress: ToolProgress) => void;
}

/** How the tools of a server are listed. */
export interface ListToolsScope {
  readonly signal?: AbortSignal | undefined;
  /** Hears of what was left out or changed, and of which tool. */
  notice?(code: string, message: string, tool?: string): void;
}

const defaultTimeoutMs = 15_000;

/** A call that goes on reporting progress may take so many times the time limit in all. */
const totalFactor = 20;

/** All pages of a list together may take so many times the time limit. */
const listFactor = 4;

/** A transport that our own process does not keep alive may be opened again after its end. */
const isRenewable = ({ transport }: McpConnectionConfig): boolean =>
  !isCustomTransport(transport) && transport.type !== "stdio";

/**
 * Connects to a server: starts or reaches it and shakes hands, within the configuration's
 * `timeoutMs`. Whoever opens it closes it; what was opened before a failure is closed.
 *
 * @throws McpError, or the signal's reason when it aborts
 */
export async function openMcpConnection(
  config: McpConnectionConfig,
  options: McpConnectionOptions = {},
): Promise<McpConnection> {
  const connection = new McpConnection(config, options);
  await connection.open(options.signal);
  return connection;
}

/**
 * A connection to one server, on which any number of calls can run at once. Where the server forgets
 * the session (HTTP 404), or a stream or socket to a URL is lost, the next request opens a fresh
 * session and lists the tools again. A request that met the 404 has not run, and is sent once more;
 * one that was under way on what was lost fails, since nobody knows whether it ran.
 */
export class McpConnection {
  readonly #config: McpConnectionConfig;
  readonly #options: McpConnectionOptions;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** Sessions that were replaced while requests were under way on them. */
  readonly #retired = new Set<McpSession>();
  #session: McpSession | undefined;
  #renewing: Promise<McpSession> | undefined;
  #notice: ListToolsScope["notice"];
  #listed: readonly McpToolDefinition[] | undefined;
  readonly #ending = new AbortController();

  constructor(config: McpConnectionConfig, options: McpConnectionOptions) {
    this.#config = config;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timeoutMs = config.timeoutMs ?? defaultTimeoutMs;
  }

  /** What the server said in the handshake. */
  get greeting(): ServerGreeting {
    if (this.#session === undefined) {
      throw new Error("The connection is not open.");
    }
    return this.#session.greeting;
  }

  /** The server as it names itself. */
  get serverInfo(): ServerGreeting["serverInfo"] {
    return this.greeting.serverInfo;
  }

  /** What the server says on its use: a stranger's text. */
  get instructions(): string | undefined {
    return this.greeting.instructions;
  }

  /** Whether requests can be sent: the connection has not been closed, nor lost for good. */
  get isOpen(): boolean {
    return !this.#ending.signal.aborted && this.#session?.isOver === false;
  }

  /** Shakes hands. Called once, before anything else. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    this.#session = await this.#openSession(signal);
  }

  /**
   * All usable tools.
   *
   * @throws McpError, or the signal's reason
   */
  async listTools({ signal, notice }: ListToolsScope = {}): Promise<readonly McpToolDefinition[]> {
    this.#notice = notice;
    const listed = await listTools({
      server: this.#config.name,
      limits: resolveLimits(this.#config.limits),
      without: this.#config.disabledTools,
      notice: (...told) => notice?.(...told),
      request: this.pages("tools/list", signal),
    });
    this.#listed = listed;
    return listed;
  }

  /**
   * Calls a tool by the server's own name. An error that the tool reports is a result; one that the
   * protocol reports is thrown. Progress starts the time limit anew, up to 20 times its length in all.
   *
   * @throws McpError, or the signal's reason at once when it aborts
   */
  callTool(
    name: string,
    input: JsonObject,
    { signal, timeoutMs = this.#timeoutMs, meta, onProgress }: CallToolOptions = {},
  ): Promise<McpCallResult> {
    const params =
      meta === undefined ? { name, arguments: input } : { name, arguments: input, _meta: meta };
    return this.#send("tools/call", params, {
      signal,
      timeoutMs,
      totalTimeoutMs: timeoutMs * totalFactor,
      onProgress: onProgress ?? ignore,
    });
  }

  /**
   * Sends a request that may be sent again, which all are that only read. A server that is too busy
   * (HTTP 429 or 503) and says for how long is waited for, within the time limit.
   */
  request(
    method: string,
    params: JsonObject,
    { signal, timeoutMs = this.#timeoutMs }: RequestOptions = {},
  ): Promise<JsonObject> {
    const until = this.#clock.now() + timeoutMs;
    return retrying({ clock: this.#clock, signal, until }, () =>
      this.#send(method, params, { signal, timeoutMs: Math.max(1, until - this.#clock.now()) }),
    );
  }

  /** Asks for pages of a list, which all together have a time limit of their own. */
  pages(method: string, signal?: AbortSignal): (params: JsonObject) => Promise<JsonObject> {
    const end = this.#clock.now() + this.#timeoutMs * listFactor;
    return (params) => {
      const timeoutMs = Math.min(this.#timeoutMs, Math.max(1, end - this.#clock.now()));
      return this.request(method, params, { signal, timeoutMs });
    };
  }

  /** Ends the session and the server's process, and resolves when it is gone. It does not reject. */
  async close(): Promise<void> {
    this.#ending.abort(this.#notConnected());
    await Promise.all(this.#sessions().map((session) => session.close()));
  }

  /** The same with little patience. */
  async abandon(): Promise<void> {
    this.#ending.abort(this.#notConnected());
    await Promise.all(this.#sessions().map((session) => session.abandon()));
  }

  #sessions(): readonly McpSession[] {
    return [...this.#retired, ...(this.#session === undefined ? [] : [this.#session])];
  }

  #openSession(signal: AbortSignal | undefined): Promise<McpSession> {
    const { name: server, transport } = this.#config;
    const { onNotification } = this.#options;
    const timeoutMs = this.#timeoutMs;
    return openSession({
      server,
      transport,
      timeoutMs,
      signal,
      clock: this.#clock,
      onNotification,
    });
  }

  /** A promise chain is only as long as it must be: this is every call's way. */
  #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const session = this.#session;
    if (session === undefined || this.#ending.signal.aborted) {
      return Promise.reject(this.#notConnected());
    }
    if (session.isOver && isRenewable(this.#config)) {
      return this.#renewed(session, options.signal).then((fresh) =>
        fresh.request(method, params, options),
      );
    }
    return session.request(method, params, options).catch(async (error: unknown) => {
      if (!isExpired(error) || this.#ending.signal.aborted) {
        throw error;
      }
      const fresh = await this.#renewed(session, options.signal);
      return fresh.request(method, params, options);
    });
  }

  /** The session that takes the place of one that is lost: one for all who ask for it. */
  async #renewed(lost: McpSession, signal: AbortSignal | undefined): Promise<McpSession> {
    if (this.#session !== lost && this.#session !== undefined) {
      return this.#session;
    }
    this.#renewing ??= this.#renew(lost).finally(() => {
      this.#renewing = undefined;
    });
    return signal === undefined ? this.#renewing : untilAborted(this.#renewing, signal);
  }

  async #renew(lost: McpSession): Promise<McpSession> {
    const fresh = await this.#openSession(this.#ending.signal);
    if (this.#ending.signal.aborted) {
      await fresh.abandon();
      throw this.#notConnected();
    }
    try {
      await this.#listAgain(fresh);
    } catch (error) {
      await fresh.abandon();
      throw error;
    }
    this.#session = fresh;
    this.#retire(lost);
    return fresh;
  }

  /** A fresh session is whole once it has given the tools; whoever listed them hears where they differ. */
  async #listAgain(fresh: McpSession): Promise<void> {
    const before = this.#listed;
    if (before === undefined) {
      return;
    }
    const after = await listTools({
      server: this.#config.name,
      limits: resolveLimits(this.#config.limits),
      without: this.#config.disabledTools,
      notice: ignore,
      request: (params) => fresh.request("tools/list", params, { timeoutMs: this.#timeoutMs }),
    });
    this.#listed = after;
    const told = (tools: readonly McpToolDefinition[]): string =>
      JSON.stringify(tools.map(({ raw }) => raw));
    if (told(before) !== told(after)) {
      this.#notice?.(
        "mcp-tools-changed",
        "It forgot the session, and publishes other tools in the new one.",
      );
    }
  }

  /** Lets what is under way on a lost session end, and then lets go of it. */
  #retire(lost: McpSession): void {
    this.#retired.add(lost);
    void lost.whenIdle().then(async () => {
      this.#retired.delete(lost);
      await lost.abandon();
    });
  }

  #notConnected(): McpError {
    const { name: server } = this.#config;
    return new McpError(`The MCP server "${server}" is not connected. Connect first.`, {
      code: "mcp-not-connected",
      server,
    });
  }
}

const isExpired = (error: unknown): boolean =>
  McpError.is(error) && error.code === "mcp-session-expired";

const ignore = (): void => {};
