import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/dragoman-error.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { ActiveSpan } from "../../base/tracing.ts";
import type { McpProtocol } from "../../tool/mcp-server-config.ts";
import { visibleLine } from "../text/visible-text.ts";
import { McpError, type McpErrorCode, type RemoteError } from "../wire/mcp-error.ts";
import { isProgress, toProgress } from "../wire/progress-notification.ts";
import { statelessVersion } from "../wire/protocol-version.ts";
import { toRemoteError } from "../wire/remote-error.ts";
import {
  isRpcAnswer,
  isRpcRequest,
  type RpcAnswer,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from "../wire/rpc-message.ts";
import type { ServerLink } from "../wire/server-link.ts";
import { discoverServer } from "./discover-server.ts";
import { type Greeter, shakeHands, wantsNoHandshake } from "./handshake.ts";
import { askInRounds } from "./input-rounds.ts";
import { RateLimit } from "./rate-limit.ts";
import { RefusedRequest } from "./refused-request.ts";
import { requestEnvelope, withMeta } from "./request-envelope.ts";
import { type RequestOptions, RequestTable } from "./request-table.ts";
import { afterElicitations } from "./required-elicitations.ts";
import type { ServerGreeting } from "./server-greeting.ts";
import type { McpLogLevel } from "./server-log.ts";
import type { ServerRequests } from "./server-requests.ts";
import type { SessionTracing } from "./session-tracing.ts";

/** What a session is made of. */
export interface McpSessionOptions {
  readonly link: ServerLink;
  readonly clock: Clock;
  /** What the server may ask of us. */
  readonly requests: ServerRequests;
  /** From which level on the server is asked to log. */
  readonly logLevel?: McpLogLevel | undefined;
  /** Hears of notifications other than progress, at most 1 000 a second. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  /** Hears of what went wrong where the server asked for something. */
  readonly onNotice?: ((code: string, message: string) => void) | undefined;
  /** Is told of all that is asked. */
  readonly tracing: SessionTracing;
}

/** How a session is opened. */
export interface OpeningOptions {
  readonly protocol: McpProtocol;
  /** With `"auto"`: silence of so many milliseconds shows a server that shakes hands. */
  readonly patienceMs?: number | undefined;
}

/** What a server is told of a request that we no longer wait for. The caller's reason is not its business. */
const cancelNotice = "The client no longer waits for the result.";

/** As many notifications and requests of a server's are heeded in a second; the rest is dropped. */
const messagesPerSecond = 1000;

const internalError = -32_603;

/**
 * One session with a server: the handshake, or the question that takes its place since 2026-07-28,
 * and requests, any number at once. Frames are checked by hand, because a check by schemas costs more
 * than all the rest; what is in a result is checked by whoever asked for it.
 *
 * What a server asks for is answered as far as the application has callbacks for it; for the rest it
 * is told that there is no such method. A ping is always answered.
 */
export class McpSession {
  readonly link: ServerLink;
  readonly #options: McpSessionOptions;
  readonly #requests: RequestTable;
  readonly #rate: RateLimit;
  /** Ends what is answered to the server. */
  readonly #ending = new AbortController();
  #greeting: ServerGreeting | undefined;
  /** What every request carries, where there was no handshake. */
  #envelope: JsonObject | undefined;
  #strays = 0;
  #over = false;

  constructor(options: McpSessionOptions) {
    const { link, clock } = options;
    this.link = link;
    this.#options = options;
    this.#rate = new RateLimit(clock, messagesPerSecond);
    this.#requests = new RequestTable({
      clock,
      onGivenUp: (id, method, span) => this.#giveUp(id, method, span),
      tooLate: (method, limitMs) =>
        this.#error("mcp-timeout", `did not answer ${method} within ${limitMs} ms`),
    });
    link.onmessage = (message) => this.#receive(message);
    link.onclose = () => {
      this.#over = true;
      this.#options.tracing.closed(link.failure());
      this.#requests.rejectAll(() => this.#closed());
    };
  }

  /** What the server said of itself. Only once the session is open. */
  get greeting(): ServerGreeting {
    if (this.#greeting === undefined) {
      throw new Error("The handshake is not done.");
    }
    return this.#greeting;
  }

  /** Whether each request stands for itself, as since 2026-07-28. */
  get isStateless(): boolean {
    return this.#envelope !== undefined;
  }

  /** Whether the connection has ended. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Resolves when no request waits for its answer. */
  whenIdle(): Promise<void> {
    return this.#requests.whenEmpty();
  }

  /**
   * Starts the link and greets the server, as `protocol` says.
   *
   * @throws McpError
   */
  async open({ protocol, patienceMs }: OpeningOptions): Promise<void> {
    await this.link.start();
    const orLegacy = protocol === "auto";
    this.#greeting =
      protocol === "legacy" ? undefined : await this.#discover({ orLegacy, patienceMs });
    try {
      this.#greeting ??= await this.#shakeHands();
    } catch (error) {
      if (!orLegacy || !wantsNoHandshake(error)) {
        throw error;
      }
      this.#greeting = await this.#discover({ orLegacy: false });
    }
    this.#options.tracing.opened(this.greeting.protocolVersion);
  }

  /**
   * Sends a request and gives the result as the server sent it. When the signal aborts it rejects at
   * once with its reason, and the server is told that nobody waits. Where the server needs something
   * of us first, it gets that; its time limits hold for each request that this takes.
   *
   * @throws McpError; what a callback of the application's throws
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const ask = (asked: JsonObject): Promise<JsonObject> => this.#ask(method, asked, options);
    const answer = (wanted: string, about: JsonObject): Promise<JsonObject> => {
      const ended = this.#ending.signal;
      return this.#give(wanted, about, AbortSignal.any([options.signal ?? ended, ended]));
    };
    if (this.#envelope === undefined) {
      return this.#options.requests.capabilities["elicitation"] === undefined
        ? ask(params)
        : ask(params).catch((failure: unknown) =>
            afterElicitations(failure, { answer, again: () => ask(params) }),
          );
    }
    const { pause } = options;
    return askInRounds(params, {
      method,
      ask,
      pause,
      answer: (wanted, about, index) =>
        pause !== undefined && wanted === "elicitation/create"
          ? this.#options.requests.elicit(about, (question) => pause.ask(question, index))
          : answer(wanted, about),
      fault: (what) => this.#error("mcp-protocol", what),
    });
  }

  /** Ends the session and the server's process. It does not reject. */
  close(): Promise<void> {
    return this.link.close();
  }

  /** The same with little patience. */
  abandon(): Promise<void> {
    return this.link.abandon();
  }

  #ask(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.#over) {
      return Promise.reject(this.#closed());
    }
    const add = (asked: JsonObject, tell?: (id: RpcId) => void): Promise<JsonObject> =>
      this.#add(method, asked, options, tell);
    const { span, signal } = options;
    return this.#options.tracing.request(span, { method, params, signal }, add);
  }

  #add(
    method: string,
    params: JsonObject,
    options: RequestOptions,
    tell: ((id: RpcId) => void) | undefined,
  ): Promise<JsonObject> {
    const envelope = this.#envelope;
    return this.#requests.add(method, options, (id) => {
      tell?.(id);
      const asked = envelope === undefined ? params : withMeta(params, envelope);
      const watched =
        options.onProgress === undefined ? asked : withMeta(asked, { progressToken: id });
      return this.link.send({ jsonrpc: "2.0", id, method, params: watched }, options.headers);
    });
  }

  async #discover(
    options: Parameters<typeof discoverServer>[1],
  ): Promise<ServerGreeting | undefined> {
    this.#envelope = requestEnvelope(this.#options.requests.capabilities, this.#options.logLevel);
    this.link.speak?.(statelessVersion);
    const greeting = await discoverServer(this.#greeter(), options);
    if (greeting === undefined) {
      this.#envelope = undefined;
      this.link.speak?.(undefined);
      return undefined;
    }
    this.link.ready?.(greeting.protocolVersion);
    return greeting;
  }

  async #shakeHands(): Promise<ServerGreeting> {
    const greeting = await shakeHands(this.#greeter());
    this.link.ready?.(greeting.protocolVersion);
    const params = this.#options.tracing.notification({});
    const named = Object.keys(params).length === 0 ? {} : { params };
    await this.link.send({ jsonrpc: "2.0", method: "notifications/initialized", ...named });
    this.link.listen?.();
    return greeting;
  }

  #greeter(): Greeter {
    return {
      capabilities: this.#options.requests.capabilities,
      request: (method, params, options) =>
        this.#ask(method, params, { span: this.#options.tracing.span, ...options }),
      error: (code, what, remote) => this.#error(code, what, remote),
      hide: (text) => this.link.hide(text),
    };
  }

  #receive(message: RpcMessage): void {
    if (isRpcAnswer(message)) {
      this.#settle(message);
    } else if (isProgress(message)) {
      const { progressToken, ...progress } = message.params ?? {};
      this.#requests.progress(progressToken, this.#rate.pass() ? toProgress(progress) : undefined);
    } else if (this.#rate.pass()) {
      if (isRpcRequest(message)) {
        this.#answer(message);
      } else {
        this.#hear(message);
      }
    }
  }

  #hear({ method, params = {} }: RpcNotification): void {
    if (this.#envelope !== undefined && method === "notifications/subscriptions/acknowledged") {
      const { _meta: meta, notifications } = params;
      const id = isJsonObject(meta) ? meta["io.modelcontextprotocol/subscriptionId"] : undefined;
      this.#requests.acknowledge(id, isJsonObject(notifications) ? notifications : {});
    } else if (this.#envelope !== undefined && method === "notifications/cancelled") {
      const ended = this.#error("mcp-connection-closed", "ended a subscription");
      this.#requests.reject(params["requestId"], ended);
    } else {
      this.#options.onNotification?.(method, params);
    }
  }

  #settle({ id, result, error }: RpcAnswer): void {
    if (!this.#requests.has(id)) {
      this.#strays += 1;
    } else if (isJsonObject(result)) {
      this.#requests.resolve(id, result);
    } else if (error === undefined) {
      const what = "answered with neither a result that is an object nor an error";
      this.#requests.reject(id, this.#error("mcp-protocol", what));
    } else {
      const remote = toRemoteError(error, (text) => this.link.hide(text));
      this.#requests.reject(
        id,
        new McpError(remote.message, {
          code: "mcp-remote-error",
          server: this.link.server,
          remote,
        }),
      );
    }
  }

  /** Whatever a server asks is answered: its connection may hang on it. */
  #answer({ id, method, params = {} }: RpcRequest): void {
    if (this.#envelope !== undefined) {
      this.#strays += 1; // since 2026-07-28 nobody asks us, and nobody takes an answer
      return;
    }
    const send = (answer: Pick<RpcAnswer, "result" | "error">): void => {
      this.link.send({ jsonrpc: "2.0", id, ...answer }).catch(() => {}); // what matters also fails a request of ours
    };
    if (method === "ping") {
      send({ result: {} });
      return;
    }
    const { signal } = this.#ending;
    const give = (): Promise<JsonObject> => this.#give(method, params, signal);
    this.#options.tracing.answer({ method, params, signal }, id, give).then(
      (result) => send({ result }),
      (thrown: unknown) => send({ error: this.#toRefusal(thrown) }),
    );
  }

  /** What the application gives the server. Meanwhile it is not the server that is slow. */
  async #give(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const release = this.#requests.hold();
    try {
      return await this.#options.requests.answer(method, params, signal);
    } catch (thrown) {
      throw this.#envelope !== undefined && thrown instanceof RefusedRequest
        ? this.#ungiven(method, thrown)
        : thrown;
    } finally {
      release();
    }
  }

  #ungiven(method: string, cause: RefusedRequest): McpError {
    const what = `needs an answer to ${visibleLine(method, 60)} first, which it does not get: ${cause.message}`;
    const { server, label } = this.link;
    return new McpError(`${label} ${what}.`, { code: "mcp-input-required", server, cause });
  }

  /** What a server is told where it gets nothing: of a failure of the application's, only that there was one. */
  #toRefusal(thrown: unknown): { readonly code: number; readonly message: string } {
    if (thrown instanceof RefusedRequest) {
      return { code: thrown.code, message: thrown.message };
    }
    if (!this.#ending.signal.aborted) {
      const message = `What it asked for was not answered: ${messageOf(thrown)}`;
      this.#options.onNotice?.("mcp-request-failed", message);
    }
    return { code: internalError, message: "There is no answer." };
  }

  #giveUp(id: number, method: string, span: ActiveSpan | undefined): void {
    this.link.forget?.(id);
    const isTold = this.#envelope !== undefined && this.link.hasExchanges === true;
    if (method === "initialize" || isTold) {
      return; // the one must not be cancelled; the other is, by the end of its exchange
    }
    const given = { requestId: id, reason: cancelNotice };
    const params = this.#options.tracing.notification(given, span);
    this.link.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => {}); // nobody waits
  }

  #closed(): McpError {
    const what =
      this.#greeting === undefined
        ? "closed the connection before it answered"
        : "is not connected";
    return this.link.failure() ?? this.#error("mcp-connection-closed", what);
  }

  #error(code: McpErrorCode, what: string, remote?: RemoteError): McpError {
    const { server, label } = this.link;
    const facts = code === "mcp-remote-error" ? "" : this.#diagnosis();
    return new McpError(`${label} ${what}.${facts && `\n${facts}`}`, {
      code,
      server,
      ...(remote === undefined ? {} : { remote }),
    });
  }

  #diagnosis(): string {
    const { refused } = this.#rate;
    const facts = [
      ...(this.#strays === 0
        ? []
        : [`It sent ${this.#strays} answer(s) to nothing that was asked.`]),
      ...(refused === 0 ? [] : [`It sent too many notifications; ${refused} were dropped.`]),
      this.link.diagnosis?.() ?? "",
    ];
    return facts.filter((fact) => fact !== "").join("\n");
  }
}
