import type { Clock } from "../../base/clock.ts";
import { parseJson } from "../../base/json.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { readServerSentEvents, type ServerSentEvent } from "../../http/server-sent-events.ts";
import { AwaitedAnswers } from "../wire/awaited-answers.ts";
import type { McpError } from "../wire/mcp-error.ts";
import { type RpcId, type RpcMessage, toRpcMessages } from "../wire/rpc-message.ts";
import type { ServerLink } from "../wire/server-link.ts";
import { beginningOf, type HttpCaller, isEventStream } from "./http-caller.ts";

/** What an {@link SseLink} is made of. */
export interface SseLinkOptions {
  readonly caller: HttpCaller;
  readonly clock: Clock;
  /** Where to post, whatever the server names. */
  readonly messagesUrl?: string | undefined;
  /** Looks for the stream at the URL only, and not at `<url>/sse`. */
  readonly onlyAsGiven?: boolean;
}

/** A server that names no endpoint in this time is taken to have the usual one. */
const endpointMs = 2000;

/**
 * An MCP server of revision 2024-11-05 (basic/transports, HTTP with SSE): one stream of events
 * carries all that the server says; what is said to it is posted to the endpoint that the stream
 * names first, else to `<url>/messages`. The end of the stream is the end of the connection.
 */
export class SseLink implements ServerLink {
  onmessage: ServerLink["onmessage"];
  onclose: ServerLink["onclose"];

  readonly server: string;
  readonly label: string;
  readonly #options: SseLinkOptions;
  readonly #caller: HttpCaller;
  readonly #ending = new AbortController();
  readonly #named = Promise.withResolvers<URL>();
  #endpoint: URL | undefined;
  readonly #awaited = new AwaitedAnswers();
  #failure: McpError | undefined;
  #finished = false;

  constructor(options: SseLinkOptions) {
    const { caller } = options;
    this.#options = options;
    this.#caller = caller;
    this.server = caller.server;
    this.label = caller.label;
    this.#named.promise.catch(() => {}); // there may be nobody who waits for it any longer
  }

  async start(): Promise<void> {
    const { signal } = this.#ending;
    const stream = await this.#openStream(signal);
    void this.#read(stream);
    const cancelTimer = this.#options.clock.startTimer(
      () => this.#named.resolve(this.#usualEndpoint()),
      endpointMs,
    );
    this.#endpoint = await this.#named.promise.finally(cancelTimer);
  }

  async send(message: RpcMessage): Promise<void> {
    const { signal } = this.#ending;
    if (this.#endpoint === undefined || this.#finished) {
      throw this.#failure ?? this.#caller.error("mcp-connection-closed", "is not connected");
    }
    this.#awaited.sent(message);
    const response = await this.#caller.send({
      method: "POST",
      url: this.#endpoint,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(message),
      signal,
    });
    const text = await beginningOf(response);
    if (response.status >= 300) {
      throw this.#caller.refusal(response, text);
    }
    if (text.startsWith("{")) {
      this.#deliver(text); // some answer here instead of on the stream
    }
  }

  ready(): void {
    this.#caller.connecting = false;
  }

  forget(id: RpcId): void {
    this.#awaited.forget(id);
  }

  failure(): McpError | undefined {
    return this.#failure;
  }

  hide(text: string): string {
    return this.#caller.hide(text);
  }

  async close(): Promise<void> {
    this.#finish(undefined);
  }

  async abandon(): Promise<void> {
    this.#finish(undefined);
  }

  /** The stream at the URL as given; where there is none, the one below it. */
  async #openStream(signal: AbortSignal): Promise<HttpResponse> {
    const { url } = this.#caller;
    const given = await this.#get(url, signal);
    if (given.status === 200 && isEventStream(given)) {
      return given;
    }
    const { status } = given;
    const text = await beginningOf(given);
    const isElsewhere = status === 404 || status === 405 || status < 300;
    if (!isElsewhere || this.#options.onlyAsGiven) {
      throw status < 300 ? this.#noStream(given) : this.#caller.refusal(given, text);
    }
    const below = await this.#get(childOf(url, "sse"), signal);
    if (below.status === 200 && isEventStream(below)) {
      return below;
    }
    await beginningOf(below);
    throw status < 300 ? this.#noStream(given) : this.#caller.refusal(given, text);
  }

  #get(url: URL, signal: AbortSignal): Promise<HttpResponse> {
    return this.#caller.send({
      method: "GET",
      url,
      headers: { accept: "text/event-stream" },
      signal,
    });
  }

  #noStream({ headers }: HttpResponse): McpError {
    const type = JSON.stringify(headers["content-type"] ?? "");
    return this.#caller.error(
      "mcp-protocol",
      `answered with the content type ${type} instead of a stream of events. Check the URL; often it ends with /sse`,
    );
  }

  async #read(stream: HttpResponse): Promise<void> {
    try {
      const options = { maxEventBytes: this.#caller.maxBytes };
      for await (const batch of readServerSentEvents(stream.body, options)) {
        for (const event of batch) {
          this.#take(event);
        }
      }
      this.#finish(
        this.#caller.error(
          "mcp-connection-closed",
          "ended the stream of events that carries answers",
        ),
      );
    } catch (error) {
      this.#finish(this.#caller.failure(error));
    }
  }

  #take({ event, data }: ServerSentEvent): void {
    if (event === "endpoint") {
      this.#named.resolve(this.#toEndpoint(data));
      return;
    }
    this.#named.resolve(this.#usualEndpoint());
    this.#deliver(data);
  }

  #deliver(text: string): void {
    for (const message of this.#awaited.heard(toRpcMessages(parseJson(text)), text)) {
      this.onmessage?.(message);
    }
  }

  /** The endpoint that the server names, by the rules of URLs; it gets our credentials, so only of our origin. */
  #toEndpoint(named: string): URL {
    const { messagesUrl } = this.#options;
    const url = URL.parse(messagesUrl ?? named, this.#caller.url.href);
    if (url?.origin !== this.#caller.url.origin) {
      throw this.#caller.error(
        "mcp-protocol",
        "names an endpoint of another origin, which is not given the credentials",
      );
    }
    return url;
  }

  #usualEndpoint(): URL {
    const { messagesUrl } = this.#options;
    return messagesUrl === undefined
      ? childOf(this.#caller.url, "messages")
      : new URL(messagesUrl, this.#caller.url);
  }

  #finish(failure: McpError | undefined): void {
    if (this.#finished) {
      return;
    }
    this.#finished = true;
    this.#failure = failure;
    this.#named.reject(failure ?? this.#caller.error("mcp-connection-closed", "is not connected"));
    this.#ending.abort();
    this.onclose?.();
  }
}

/** The address below a server's URL, of which a final `/sse` is no part. */
function childOf(url: URL, name: string): URL {
  const child = new URL(url);
  child.pathname = `${url.pathname.replace(/(?:\/sse)?\/*$/, "")}/${name}`;
  return child;
}
