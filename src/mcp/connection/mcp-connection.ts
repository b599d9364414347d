import { untilAborted } from "../../base/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { askingForAccess } from "../authorization/asking-for-access.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import type { McpCallResult } from "../results/to-tool-result.ts";
import type { McpSession } from "../session/mcp-session.ts";
import { openSession } from "../session/open-session.ts";
import type { RequestOptions } from "../session/request-table.ts";
import { retrying } from "../session/retrying.ts";
import type { ServerGreeting } from "../session/server-greeting.ts";
import { ServerRequests } from "../session/server-requests.ts";
import { McpError } from "../wire/mcp-error.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import type { StrayOutput } from "../wire/server-link.ts";
import { SpokenProtocols } from "../wire/spoken-protocols.ts";
import type { Followed } from "./change-feed.ts";
import { ChangeFollower } from "./change-follower.ts";
import {
  isExpired,
  isHeaderMismatch,
  isRenewable,
  mirrorsParameters,
} from "./connection-states.ts";
import type {
  CallToolOptions,
  ListToolsScope,
  McpConnectionConfig,
  McpConnectionOptions,
} from "./mcp-connection-config.ts";
import { ServerEvents } from "./server-events.ts";
import { ServerTools } from "./server-tools.ts";

const defaultTimeoutMs = 15_000;

/** A call that goes on reporting progress may take so many times the time limit in all. */
const totalFactor = 20;

/** All pages of a list together may take so many times the time limit. */
const listFactor = 4;

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
  readonly #ending = new AbortController();
  readonly #requests: ServerRequests;
  readonly #events: ServerEvents;
  readonly #spoken: SpokenProtocols;
  readonly #tools: ServerTools;
  readonly #follower: ChangeFollower;

  constructor(config: McpConnectionConfig, options: McpConnectionOptions) {
    const { clock = systemClock, events = {}, callbacks = {}, onNotification, onNotice } = options;
    this.#config = config;
    this.#options = options;
    this.#clock = clock;
    this.#timeoutMs = config.timeoutMs ?? defaultTimeoutMs;
    this.#spoken = options.spoken ?? new SpokenProtocols();
    const { name: server } = config;
    const limits = resolveLimits(config.limits);
    this.#requests = new ServerRequests({ server, callbacks, limits });
    this.#tools = new ServerTools({
      server,
      limits,
      without: config.disabledTools,
      pages: (signal, span) => this.pages("tools/list", { signal, span }),
      mirrorsParameters: () => mirrorsParameters(this.#session),
    });
    const onToolsChanged = (): void => {
      this.#tools.changed();
      events.onToolsChanged?.();
    };
    this.#follower = new ChangeFollower({
      clock,
      events: { ...events, onToolsChanged },
      timeoutMs: this.#timeoutMs,
    });
    const hide = (text: string): string => this.#session?.link.hide(text) ?? text;
    this.#events = new ServerEvents({ clock, events, onNotification, onNotice, hide });
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

  /** What a program wrote to its standard output that is not JSON-RPC, where it did. */
  get strayOutput(): StrayOutput | undefined {
    return this.#session?.link.strayOutput?.();
  }

  /** Whether requests can be sent: the connection has not been closed, nor lost for good. */
  get isOpen(): boolean {
    return !this.#ending.signal.aborted && this.#session?.isOver === false;
  }

  /** Shakes hands. Called once, before anything else. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    this.#use(await this.#openSession(signal));
  }

  /**
   * All usable tools.
   *
   * @throws McpError, or the signal's reason
   */
  listTools(scope: ListToolsScope = {}): Promise<readonly McpToolDefinition[]> {
    return this.#tools.list(scope);
  }

  /**
   * The tools as they were listed last, listed again where the server has said that they changed.
   *
   * @throws McpError, or the signal's reason
   */
  currentTools({
    signal,
  }: Pick<ListToolsScope, "signal"> = {}): Promise<readonly McpToolDefinition[]> {
    return this.#tools.current(signal);
  }

  /**
   * Calls a tool by the server's own name. An error that the tool reports is a result; one that the
   * protocol reports is thrown. Progress starts the time limit anew, up to 20 times its length in all.
   *
   * @throws McpError, or the signal's reason at once when it aborts
   */
  callTool(name: string, input: JsonObject, options: CallToolOptions = {}): Promise<McpCallResult> {
    const { guard } = options;
    return guard === undefined
      ? this.#call(name, input, options)
      : this.#tools.current(options.signal).then((tools) => {
          guard(tools);
          return this.#call(name, input, options);
        });
  }

  #call(
    name: string,
    input: JsonObject,
    { signal, timeoutMs = this.#timeoutMs, meta, onProgress, guard, pause, span }: CallToolOptions,
  ): Promise<McpCallResult> {
    const params =
      meta === undefined ? { name, arguments: input } : { name, arguments: input, _meta: meta };
    const options: RequestOptions = {
      signal,
      timeoutMs,
      totalTimeoutMs: timeoutMs * totalFactor,
      onProgress: onProgress ?? ignore,
      span,
      pause,
    };
    if (!mirrorsParameters(this.#session)) {
      return this.#send("tools/call", params, options, guard);
    }
    const call = (): Promise<JsonObject> => {
      const headers = this.#tools.headersOf(name, input);
      return this.#send("tools/call", params, { ...options, headers }, guard);
    };
    return call().catch(async (error: unknown) => {
      if (!isHeaderMismatch(error)) {
        throw error;
      }
      this.#tools.changed();
      const tools = await this.#tools.current(signal);
      guard?.(tools);
      return call(); // which was refused before it ran
    });
  }

  /**
   * Sends a request that may be sent again, which all are that only read. A server that is too busy
   * (HTTP 429 or 503) and says for how long is waited for, within the time limit.
   */
  request(
    method: string,
    params: JsonObject,
    { signal, timeoutMs = this.#timeoutMs, span }: RequestOptions = {},
  ): Promise<JsonObject> {
    const until = this.#clock.now() + timeoutMs;
    return retrying({ clock: this.#clock, signal, until }, () =>
      this.#send(method, params, {
        signal,
        timeoutMs: Math.max(1, until - this.#clock.now()),
        span,
      }),
    );
  }

  /** Asks for pages of a list, which all together have a time limit of their own. */
  pages(
    method: string,
    { signal, timeoutMs = this.#timeoutMs, span }: RequestOptions = {},
  ): (params: JsonObject) => Promise<JsonObject> {
    const end = this.#clock.now() + timeoutMs * listFactor;
    return (params) => {
      const leftMs = Math.min(timeoutMs, Math.max(1, end - this.#clock.now()));
      return this.request(method, params, { signal, timeoutMs: leftMs, span });
    };
  }

  /**
   * What changes on the server is told of, as far as it offers that; also in sessions to come.
   *
   * @throws McpError where it refuses to tell of a resource
   */
  follow(followed: Followed): Promise<void> {
    return this.#follower.follow(followed);
  }

  /** What is followed. */
  get followed(): Followed {
    return this.#follower.followed;
  }

  /** Ends the session and the server's process, and resolves when it is gone. It does not reject. */
  async close(): Promise<void> {
    this.#end();
    await Promise.all(this.#sessions().map((session) => session.close()));
  }

  /** The same with little patience. */
  async abandon(): Promise<void> {
    this.#end();
    await Promise.all(this.#sessions().map((session) => session.abandon()));
  }

  #sessions(): readonly McpSession[] {
    return [...this.#retired, ...(this.#session === undefined ? [] : [this.#session])];
  }

  #end(): void {
    this.#ending.abort(this.#notConnected());
    this.#follower.stop();
    this.#events.stop();
  }

  #openSession(signal: AbortSignal | undefined): Promise<McpSession> {
    const { name: server, transport, protocol } = this.#config;
    const { actor, logLevel, wantsLogs = false, onNotice, span } = this.#options;
    const open = (): Promise<McpSession> =>
      openSession({
        server,
        transport,
        protocol,
        actor,
        span,
        spoken: this.#spoken,
        requests: this.#requests,
        logLevel: logLevel ?? (wantsLogs ? "info" : undefined),
        timeoutMs: this.#timeoutMs,
        signal,
        clock: this.#clock,
        onNotification: (method, params) => this.#hear(method, params),
        onNotice,
      });
    return open().catch((error: unknown) => askingForAccess(error, this.#endOr(signal), open));
  }

  #hear(method: string, params: JsonObject): void {
    if (method === "notifications/tools/list_changed") {
      this.#tools.changed();
    }
    this.#events.receive(method, params);
  }

  /** What is asked for from now on goes this way. */
  #use(session: McpSession): void {
    this.#session = session;
    this.#follower.use(session);
    const { logLevel: level } = this.#options;
    const isTold = session.greeting.capabilities["logging"] !== undefined;
    if (level !== undefined && isTold && !session.isStateless) {
      const limit = { timeoutMs: this.#timeoutMs };
      session.request("logging/setLevel", { level }, limit).catch(ignore); // nobody waits for it
    }
  }

  /** A promise chain is only as long as it must be: this is every call's way. */
  #send(
    method: string,
    params: JsonObject,
    options: RequestOptions,
    guard?: CallToolOptions["guard"],
  ): Promise<JsonObject> {
    const session = this.#session;
    if (session === undefined || this.#ending.signal.aborted) {
      return Promise.reject(this.#notConnected());
    }
    if (session.isOver && isRenewable(this.#config)) {
      return this.#renewed(session, options.signal).then((fresh) => {
        guard?.(this.#tools.listed);
        return fresh.request(method, params, options);
      });
    }
    return session.request(method, params, options).catch(async (error: unknown) => {
      if (this.#ending.signal.aborted) {
        throw error;
      }
      if (!isExpired(error)) {
        return askingForAccess(error, this.#endOr(options.signal), () =>
          (this.#session ?? session).request(method, params, options),
        );
      }
      const fresh = await this.#renewed(session, options.signal);
      guard?.(this.#tools.listed);
      return fresh.request(method, params, options);
    });
  }

  /** Aborts with the signal, and when the connection is closed. */
  #endOr(signal: AbortSignal | undefined): AbortSignal {
    const ended = this.#ending.signal;
    return signal === undefined ? ended : AbortSignal.any([signal, ended]);
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
      // A fresh session is whole once it has given the tools.
      await this.#tools.listAgain(
        (params) => fresh.request("tools/list", params, { timeoutMs: this.#timeoutMs }),
        mirrorsParameters(fresh),
      );
    } catch (error) {
      await fresh.abandon();
      throw error;
    }
    this.#use(fresh);
    this.#retire(lost);
    return fresh;
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

const ignore = (): void => {};
