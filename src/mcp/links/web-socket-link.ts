import type { ClientRequestArgs } from "node:http";
import type { ClientOptions, WebSocket } from "ws";
import type { Clock } from "../../base/clock.ts";
import { parseJson } from "../../base/json.ts";
import { agentFor } from "../../http/connection-pool.ts";
import type { WebSocketTransport } from "../../tool/mcp-server-config.ts";
import { visibleLine } from "../text/visible-text.ts";
import { AwaitedAnswers } from "../wire/awaited-answers.ts";
import type { McpError } from "../wire/mcp-error.ts";
import { type RpcId, type RpcMessage, toRpcMessages } from "../wire/rpc-message.ts";
import type { ServerLink } from "../wire/server-link.ts";
import type { HttpCaller } from "./http-caller.ts";

/** What a {@link WebSocketLink} is made of. */
export interface WebSocketLinkOptions {
  readonly caller: HttpCaller;
  readonly transport: WebSocketTransport;
  readonly clock: Clock;
}

/** How long the server may take to say goodbye. */
const goodbyeMs = 1000;

/**
 * An MCP server on a WebSocket of the subprotocol `mcp`, one JSON-RPC message a text message. The
 * headers go with the upgrade. The package `ws` is loaded on the first start: the WebSocket of the
 * platform sends no headers and knows no limit.
 */
export class WebSocketLink implements ServerLink {
  onmessage: ServerLink["onmessage"];
  onclose: ServerLink["onclose"];

  readonly server: string;
  readonly label: string;
  readonly #options: WebSocketLinkOptions;
  readonly #caller: HttpCaller;
  readonly #over = Promise.withResolvers<void>();
  #socket: WebSocket | undefined;
  readonly #awaited = new AwaitedAnswers();
  #failure: McpError | undefined;
  #isClosing = false;
  #finished = false;

  constructor(options: WebSocketLinkOptions) {
    this.#options = options;
    this.#caller = options.caller;
    this.server = options.caller.server;
    this.label = options.caller.label;
  }

  async start(): Promise<void> {
    const { WebSocket } = await import("ws");
    const options = await this.#clientOptions();
    if (this.#isClosing) {
      throw this.#caller.error("mcp-connection-closed", "was closed");
    }
    const socket = new WebSocket(this.#caller.url, "mcp", options);
    this.#socket = socket;
    this.#listen(socket);
    const opened = Promise.withResolvers<void>();
    socket.once("open", () => opened.resolve());
    void this.#over.promise.then(() => opened.reject(this.#closed()));
    await opened.promise;
  }

  send(message: RpcMessage): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || this.#finished) {
      return Promise.reject(this.#closed());
    }
    this.#awaited.sent(message);
    return new Promise((resolve, reject) => {
      socket.send(JSON.stringify(message), (error) => {
        if (error) {
          reject(this.#caller.failure(error));
        } else {
          resolve();
        }
      });
    });
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
    this.#isClosing = true;
    const socket = this.#socket;
    if (socket === undefined || this.#finished) {
      return;
    }
    socket.close(1000);
    const cancelTimer = this.#options.clock.startTimer(() => socket.terminate(), goodbyeMs);
    await this.#over.promise;
    cancelTimer();
  }

  async abandon(): Promise<void> {
    this.#isClosing = true;
    this.#socket?.terminate();
  }

  async #clientOptions(): Promise<ClientOptions> {
    const { transport } = this.#options;
    const { url, maxBytes } = this.#caller;
    const { proxy, tls = {} } = transport;
    const signal = new AbortController().signal;
    const headers = await this.#caller.headersOf({ method: "GET", headers: {}, signal }, url);
    const protocol = url.protocol === "ws:" ? "ws:" : "https:";
    const agent =
      proxy === undefined ? undefined : await agentFor(protocol, { proxy, tls, keepAlive: false });
    return {
      headers: { ...headers },
      maxPayload: maxBytes,
      perMessageDeflate: false,
      followRedirects: false,
      ...(tls.ca === undefined ? {} : { ca: typeof tls.ca === "string" ? tls.ca : [...tls.ca] }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
      rejectUnauthorized: tls.rejectUnauthorized ?? true,
      ...(agent === undefined ? {} : { agent }),
    } satisfies ClientOptions & ClientRequestArgs;
  }

  #listen(socket: WebSocket): void {
    socket.on("message", (data, isBinary) => {
      const text = isBinary ? "" : String(data);
      for (const message of this.#awaited.heard(toRpcMessages(parseJson(text)), text)) {
        this.onmessage?.(message);
      }
    });
    socket.on("unexpected-response", (request, response) => {
      const status = response.statusCode ?? 0;
      response.destroy();
      request.destroy();
      const headers = {
        "retry-after": String(response.headers["retry-after"] ?? ""),
        "www-authenticate": String(response.headers["www-authenticate"] ?? ""),
      };
      this.#finish(this.#caller.refusal({ status, headers }, ""));
    });
    socket.on("error", (error) => {
      this.#failure ??= isTooLong(error) ? this.#caller.tooLong() : this.#caller.failure(error);
    });
    socket.once("close", (code, reason) => {
      const said = visibleLine(this.hide(String(reason)), 200);
      const why = `closed the connection (code ${code}${said === "" ? "" : `: ${said}`})`;
      this.#finish(this.#caller.error("mcp-connection-closed", why));
    });
  }

  #finish(failure: McpError): void {
    if (this.#finished) {
      return;
    }
    this.#finished = true;
    this.#failure = this.#isClosing ? undefined : (this.#failure ?? failure);
    this.#over.resolve();
    this.onclose?.();
  }

  #closed(): McpError {
    return this.#failure ?? this.#caller.error("mcp-connection-closed", "is not connected");
  }
}

const isTooLong = (error: Error): boolean =>
  "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
