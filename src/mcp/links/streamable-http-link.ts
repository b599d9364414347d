import type { Clock } from "../../base/clock.ts";
import { parseJson } from "../../base/json.ts";
import { sleep } from "../../base/sleep.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { readServerSentEvents } from "../../http/server-sent-events.ts";
import { visibleLine } from "../text/visible-text.ts";
import { isLostSession } from "../wire/link-failure.ts";
import type { McpError } from "../wire/mcp-error.ts";
import { statelessVersion } from "../wire/protocol-version.ts";
import { reconnectDelayMs } from "../wire/reconnect-delay.ts";
import {
  isRpcAnswer,
  isRpcRequest,
  type RpcId,
  type RpcMessage,
  toRpcMessages,
} from "../wire/rpc-message.ts";
import type { ServerLink } from "../wire/server-link.ts";
import { beginningOf, type HttpCaller, isEventStream } from "./http-caller.ts";
import { keepListening } from "./keep-listening.ts";
import { standardHeaders } from "./standard-headers.ts";

/** What a {@link StreamableHttpLink} is made of. */
export interface StreamableHttpLinkOptions {
  readonly caller: HttpCaller;
  readonly clock: Clock;
  /** Whether the server is told that its session ends. Default true. */
  readonly terminateSession?: boolean | undefined;
}

/** One request and what comes back for it. */
interface Exchange {
  readonly id: RpcId;
  readonly ending: AbortController;
  answered: boolean;
  /** Where a stream that breaks off can be taken up again. */
  lastEventId: string | undefined;
  /** How long the server asks to wait before that. */
  retryMs: number | undefined;
}

/** How long the server may take to end its session. */
const goodbyeMs = 2000;

/** How long a stream is read after the answer, for what the server adds. */
const afterAnswerMs = 1000;

/** A stream is taken up again so many times in a row without anything new in it. */
const mostResumptions = 5;

/**
 * An MCP server behind one HTTP endpoint (MCP 2025-11-25, basic/transports, streamable HTTP): each
 * message is a POST, whose answer is JSON or a stream of events. A stream that breaks off after an
 * event with an id is taken up again where it was; what the server sends of its own accord is read
 * from a GET stream, where it offers one. Since 2026-07-28 there are neither sessions nor such
 * streams, and headers say what is in a request.
 */
export class StreamableHttpLink implements ServerLink {
  onmessage: ServerLink["onmessage"];
  onclose: ServerLink["onclose"];

  readonly hasExchanges = true;
  readonly server: string;
  readonly label: string;
  sessionId: string | undefined;
  readonly #caller: HttpCaller;
  readonly #clock: Clock;
  readonly #terminateSession: boolean;
  readonly #exchanges = new Map<RpcId, Exchange>();
  /** Ends whatever is not the exchange of a request. */
  readonly #ending = new AbortController();
  #protocolVersion: string | undefined;
  #isExpired = false;
  #closing: Promise<void> | undefined;

  constructor({ caller, clock, terminateSession = true }: StreamableHttpLinkOptions) {
    this.#caller = caller;
    this.#clock = clock;
    this.#terminateSession = terminateSession;
    this.server = caller.server;
    this.label = caller.label;
  }

  async start(): Promise<void> {
    // Without a request there is nothing to connect to.
  }

  send(message: RpcMessage, headers?: Readonly<Record<string, string>>): Promise<void> {
    return isRpcRequest(message) ? this.#ask(message, message.id, headers) : this.#tell(message);
  }

  forget(id: RpcId): void {
    this.#exchanges.get(id)?.ending.abort();
  }

  speak(protocolVersion: string | undefined): void {
    this.#protocolVersion = protocolVersion;
  }

  ready(protocolVersion: string): void {
    this.#protocolVersion = protocolVersion;
    this.#caller.connecting = false;
  }

  listen(): void {
    const { signal } = this.#ending;
    void keepListening({
      open: (lastEventId) => this.#get(lastEventId, signal),
      onData: (data) => this.#deliverAll(data),
      maxEventBytes: this.#caller.maxBytes,
      clock: this.#clock,
      signal,
    });
  }

  failure(): McpError | undefined {
    return undefined; // without a request there is no connection that could end
  }

  hide(text: string): string {
    return this.#caller.hide(text);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end(goodbyeMs);
    return this.#closing;
  }

  abandon(): Promise<void> {
    this.#closing ??= this.#end(goodbyeMs / 4);
    return this.#closing;
  }

  /** Sends what has no answer. Any success will do, whatever is in it. */
  async #tell(message: RpcMessage): Promise<void> {
    const response = await this.#post(message, this.#ending.signal);
    const text = await beginningOf(response);
    if (response.status >= 300) {
      throw this.#refusal(response, text);
    }
  }

  async #ask(
    message: RpcMessage,
    id: RpcId,
    headers: Readonly<Record<string, string>> | undefined,
  ): Promise<void> {
    const ending = new AbortController();
    const exchange: Exchange = {
      id,
      ending,
      answered: false,
      lastEventId: undefined,
      retryMs: undefined,
    };
    this.#exchanges.set(id, exchange);
    try {
      const response = await this.#post(message, ending.signal, headers);
      if (!this.#isStateless) {
        this.sessionId ??= response.headers["mcp-session-id"];
      }
      await this.#receive(response, exchange);
    } catch (error) {
      throw ending.signal.aborted ? error : this.#caller.failure(error);
    } finally {
      this.#exchanges.delete(id);
    }
  }

  async #receive(response: HttpResponse, exchange: Exchange): Promise<void> {
    const { status, headers } = response;
    if (status >= 300) {
      const text = await beginningOf(response);
      const inSession = this.sessionId !== undefined;
      const isLost = isLostSession({ status, text, inSession });
      if ((status === 400 && !isLost) || (status === 404 && this.#isStateless)) {
        this.#deliverAll(text); // a JSON-RPC error may come with this status
      }
      if (!exchange.answered) {
        throw this.#refusal(response, text);
      }
      return;
    }
    if (isEventStream(response)) {
      await this.#follow(response, exchange);
      return;
    }
    const text = await this.#caller.text(response);
    this.#deliverAll(text);
    if (!exchange.answered) {
      throw this.#noAnswer(status, headers["content-type"] ?? "", text);
    }
  }

  /** Reads a stream of events until the answer has come, taking it up again where it breaks off. */
  async #follow(first: HttpResponse, exchange: Exchange): Promise<void> {
    const { signal } = exchange.ending;
    let stream = first;
    for (let attempt = 0; ; attempt += 1) {
      const before = exchange.lastEventId;
      await this.#readEvents(stream, exchange);
      if (exchange.answered) {
        return;
      }
      const { lastEventId, retryMs } = exchange;
      attempt = lastEventId === before ? attempt : 0;
      if (lastEventId === undefined || this.#isStateless || attempt >= mostResumptions) {
        throw this.#caller.error(
          "mcp-connection-closed",
          "ended its stream of events without an answer",
        );
      }
      await sleep(this.#clock, reconnectDelayMs(attempt, retryMs), signal);
      stream = await this.#resume(lastEventId, signal);
    }
  }

  async #resume(lastEventId: string, signal: AbortSignal): Promise<HttpResponse> {
    const response = await this.#get(lastEventId, signal);
    if (!isEventStream(response) || response.status >= 300) {
      response.cancel();
      throw this.#caller.error(
        "mcp-connection-closed",
        `ended its stream of events without an answer, and does not let it be taken up again (HTTP ${response.status})`,
      );
    }
    return response;
  }

  /** Reads one stream to its end. A break is an end where the stream can be taken up again. */
  async #readEvents(response: HttpResponse, exchange: Exchange): Promise<void> {
    const { ending } = exchange;
    let stopWaiting = (): void => {};
    try {
      for await (const batch of this.#events(response)) {
        for (const { data, id, retryMs } of batch) {
          exchange.lastEventId = id ?? exchange.lastEventId;
          exchange.retryMs = retryMs ?? exchange.retryMs;
          this.#deliverAll(data);
        }
        if (exchange.answered) {
          stopWaiting();
          stopWaiting = this.#clock.startTimer(() => ending.abort(), afterAnswerMs);
        }
      }
    } catch (error) {
      const failure = this.#caller.failure(error);
      const goesOn =
        exchange.answered || (exchange.lastEventId !== undefined && !this.#isStateless);
      if (ending.signal.aborted || failure.code !== "mcp-connection-closed" || !goesOn) {
        throw error;
      }
    } finally {
      stopWaiting();
    }
  }

  #events(response: HttpResponse): ReturnType<typeof readServerSentEvents> {
    return readServerSentEvents(response.body, { maxEventBytes: this.#caller.maxBytes });
  }

  #get(lastEventId: string | undefined, signal: AbortSignal): Promise<HttpResponse> {
    const headers = {
      ...this.#sessionHeaders(),
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    return this.#caller.send({ method: "GET", headers, signal });
  }

  #post(
    message: RpcMessage,
    signal: AbortSignal,
    more?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> {
    const headers = {
      ...more,
      ...this.#sessionHeaders(),
      ...(this.#isStateless ? standardHeaders(message) : {}),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const body = JSON.stringify(message);
    const isIdempotent = !("method" in message) || message.method !== "tools/call";
    return this.#caller.send({ method: "POST", headers, body, isIdempotent, signal });
  }

  #sessionHeaders(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.sessionId !== undefined) {
      headers["mcp-session-id"] = this.sessionId;
    }
    if (this.#protocolVersion !== undefined) {
      headers["mcp-protocol-version"] = this.#protocolVersion;
    }
    return headers;
  }

  /** Whether what is spoken has no sessions. */
  get #isStateless(): boolean {
    return this.#protocolVersion === statelessVersion;
  }

  /** The messages in a text. An event without one (to keep the stream open, or to begin it) is none. */
  #deliverAll(text: string): void {
    if (text === "") {
      return;
    }
    for (const message of toRpcMessages(parseJson(text))) {
      const exchange = isRpcAnswer(message) && this.#exchanges.get(message.id ?? "");
      if (exchange) {
        exchange.answered = true;
      }
      this.onmessage?.(message);
    }
  }

  #refusal(response: HttpResponse, text: string): McpError {
    const inSession = this.sessionId !== undefined;
    this.#isExpired ||= isLostSession({ status: response.status, text, inSession });
    return this.#caller.refusal(response, text, inSession);
  }

  #noAnswer(status: number, type: string, text: string): McpError {
    if (text === "") {
      return this.#caller.error(
        "mcp-protocol",
        `accepted a request (HTTP ${status}) without answering it`,
      );
    }
    const what = /\bjson\b/.test(type)
      ? `sent what is not an answer of JSON-RPC 2.0: ${visibleLine(this.hide(text.slice(0, 2000)), 200)}`
      : `answered with the content type ${JSON.stringify(visibleLine(type, 100))} instead of MCP. Check that the URL is that of an MCP endpoint; often it ends with /mcp`;
    return this.#caller.error("mcp-protocol", what);
  }

  /** Ends the session, then whatever is still under way. */
  async #end(patienceMs: number): Promise<void> {
    this.#ending.abort();
    if (this.#terminateSession && this.sessionId !== undefined && !this.#isExpired) {
      const signal = AbortSignal.timeout(patienceMs);
      const headers = this.#sessionHeaders();
      await this.#caller
        .send({ method: "DELETE", headers, signal })
        .then(beginningOf)
        .catch(() => {}); // a server need not have an end of sessions
    }
    for (const { ending } of this.#exchanges.values()) {
      ending.abort();
    }
    this.onclose?.();
  }
}
