import type {
  StreamableHTTPClientTransport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { redactUrl } from "../base/redact-url.ts";
import type { HttpTransport } from "../tool/mcp-server-config.ts";
import { hideValues } from "./hide-values.ts";
import { type Fetch, limitedFetch } from "./limited-fetch.ts";
import { McpError, type McpErrorCode } from "./mcp-error.ts";
import type { RpcMessage, ServerLink } from "./protocol-transport.ts";

/** Makes the SDK's transport, so that this file need not import the SDK. */
type HttpTransportFactory = (
  url: URL,
  options: { readonly requestInit: RequestInit; readonly fetch: Fetch },
) => StreamableHTTPClientTransport;

/** What an {@link HttpLink} is made of. */
export interface HttpLinkOptions {
  /** The alias of the server. */
  readonly server: string;
  readonly transport: HttpTransport;
  readonly createTransport: HttpTransportFactory;
}

const defaultMaxBytes = 10 * 1024 * 1024;

/** How long the server may take to end its session. */
const goodbyeMs = 2000;

/** A JSON-RPC code from the range for implementations; it goes no further than the SDK's client. */
const localErrorCode = -32_000;

/**
 * An MCP server over streamable HTTP: the SDK's transport, with limits, and without its two waits
 * for an answer that cannot come (an accepted request, a stream that ends without one).
 */
export class HttpLink implements ServerLink {
  onmessage?: ServerLink["onmessage"];
  onclose?: ServerLink["onclose"];
  onerror?: ServerLink["onerror"];

  readonly server: string;
  readonly label: string;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #secrets: readonly string[];
  /** Requests without an answer, each with what ends its exchange. */
  readonly #pending = new Map<string | number, AbortController>();
  #limit: McpError | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor({ server, transport, createTransport }: HttpLinkOptions) {
    const { url, headers } = addressOf(transport);
    const maxBytes = transport.maxResponseBytes ?? defaultMaxBytes;
    this.server = server;
    this.label = `The MCP server "${server}" at ${redactUrl(url)}`;
    this.#secrets = secretsOf(url, headers);
    this.#inner = createTransport(url, {
      requestInit: { headers },
      fetch: limitedFetch({
        maxBytes,
        tooLong: () => {
          this.#limit = this.#error(
            "mcp-limit",
            `sent more than ${maxBytes} bytes at once. Raise maxResponseBytes of its transport if that is expected`,
          );
          return this.#limit;
        },
        notAnswered: () =>
          this.#error("mcp-protocol", "accepted a request (HTTP 202) without answering it"),
      }),
    });
    this.#listen();
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: RpcMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message && "id" in message)) {
      const sent = this.#inner.send(message);
      this.#endExchange(message);
      return sent;
    }
    const { id } = message;
    const exchange = new AbortController();
    this.#pending.set(id, exchange);
    try {
      await this.#inner.send(message, {
        ...(options?.headers === undefined ? {} : { headers: options.headers }),
        requestSignal: exchange.signal,
        onRequestStreamEnd: () => this.#unanswered(id),
      });
    } catch (error) {
      this.#pending.delete(id);
      throw error;
    }
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  failure(): McpError | undefined {
    return undefined; // without a request there is no connection that could end
  }

  diagnosis(): string {
    return "";
  }

  hide(text: string): string {
    return hideValues(text, this.#secrets);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end(goodbyeMs);
    return this.#closing;
  }

  abandon(): Promise<void> {
    this.#closing ??= this.#end(goodbyeMs / 4);
    return this.#closing;
  }

  #listen(): void {
    this.#inner.onmessage = (message) => {
      if (!("method" in message) && message.id !== undefined) {
        this.#pending.delete(message.id);
      }
      this.onmessage?.(message);
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => {
      if (!this.#closed) {
        this.#closed = true;
        this.onclose?.();
      }
    };
  }

  /** Ends the session, then whatever is still under way. */
  async #end(patienceMs: number): Promise<void> {
    const impatience = setTimeout(() => void this.#inner.close(), patienceMs);
    await this.#inner.terminateSession().catch(() => {}); // a server need not have an end of sessions
    clearTimeout(impatience);
    await this.#inner.close();
  }

  /** A request that has been cancelled needs its connection no longer. */
  #endExchange(message: RpcMessage): void {
    if ("method" in message && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"] as string | number; // as the SDK's client wrote it
      this.#pending.get(id)?.abort();
      this.#pending.delete(id);
    }
  }

  #unanswered(id: string | number): void {
    if (!this.#pending.delete(id)) {
      return;
    }
    const error =
      this.#limit ??
      this.#error("mcp-connection-closed", "ended its stream of events without an answer");
    this.#limit = undefined;
    this.onmessage?.({
      jsonrpc: "2.0",
      id,
      error: { code: localErrorCode, message: error.message, data: error },
    });
  }

  #error(code: McpErrorCode, what: string): McpError {
    return new McpError(`${this.label} ${what}.`, { code, server: this.server });
  }
}

/** The URL without credentials, which go into a header as they must. */
function addressOf(transport: HttpTransport): { url: URL; headers: Record<string, string> } {
  const url = new URL(transport.url);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const headers: Record<string, string> = { ...transport.headers };
  const authorized = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (transport.token !== undefined) {
    headers["authorization"] = `Bearer ${transport.token}`;
  } else if (username !== "" && !authorized) {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  }
  return { url, headers };
}

/** What must not be told: values of headers, with and without the scheme, and of the query. */
function secretsOf(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.values(headers);
  return [
    ...values,
    ...values.map((value) => value.replace(/^\w+ /, "")),
    ...url.searchParams.values(),
  ];
}
