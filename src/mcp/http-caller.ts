import type { Clock } from "../base/clock.ts";
import { redactUrl } from "../base/redact-url.ts";
import { type HttpRequest, sendHttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { UrlTransport } from "../tool/mcp-server-config.ts";
import { hideValues } from "./hide-values.ts";
import { retryAfterMs, toLinkFailure, toRefusal } from "./link-failure.ts";
import { McpError, type McpErrorCode } from "./mcp-error.ts";
import { addressOf, type ServerAddress } from "./url-credentials.ts";

/** A request to a server. */
export interface ServerRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Default: the server's URL. It must be of the same origin. */
  readonly url?: URL;
  /** By lower-case name; the transport's own are added, and override these. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The head of an answer. */
type ResponseHead = Pick<HttpResponse, "status" | "headers">;

/** The longest body, or event of a stream of events, where the transport does not say. */
const defaultMaxBytes: number = 10 * 1024 * 1024;

/** As much of the body of a refusal as is read. */
const refusalBytes = 64 * 1024;

const mostRedirects = 5;

/** Silence is no fault here: whoever waits for an answer has a time limit of its own. */
const forEver = Number.POSITIVE_INFINITY;

/**
 * Sends requests to one server: with its credentials, through its proxy, to its origin and no other.
 * Redirects within the origin are followed where the request stays what it is (RFC 9110, 15.4); a
 * POST never becomes a GET. What fails is an {@link McpError}.
 */
export class HttpCaller {
  /** The alias of the server. */
  readonly server: string;
  readonly label: string;
  /** Without credentials. */
  readonly url: URL;
  readonly maxBytes: number;
  /** Whether the handshake is not done yet; it makes a difference to what errors say. */
  connecting = true;
  readonly #clock: Clock;
  readonly #transport: UrlTransport;
  readonly #address: ServerAddress;
  readonly #connection: Pick<HttpRequest, "proxy" | "tls">;
  /** The last token that was sent. */
  #token = "";

  constructor(server: string, transport: UrlTransport, clock: Clock) {
    this.server = server;
    this.#clock = clock;
    this.#transport = transport;
    this.#address = addressOf(transport);
    this.url = this.#address.url;
    this.label = `The MCP server "${server}" at ${redactUrl(this.url)}`;
    this.maxBytes = transport.maxResponseBytes ?? defaultMaxBytes;
    const { proxy, tls } = transport;
    this.#connection = {
      ...(proxy === undefined ? {} : { proxy }),
      ...(tls === undefined ? {} : { tls }),
    };
  }

  /** Resolves with the head of the answer, whatever its status. @throws McpError, or the signal's reason */
  async send(request: ServerRequest): Promise<HttpResponse> {
    let url = request.url ?? this.url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#sendOnce(request, url);
      const { location } = response.headers;
      if (location === undefined || !redirectStatuses.has(response.status)) {
        return response;
      }
      response.cancel();
      url = this.#redirected(request, url, { status: response.status, location });
      if (redirects === mostRedirects) {
        throw this.error(
          "mcp-http",
          `redirects more than ${mostRedirects} times. Check the path of the URL`,
        );
      }
    }
  }

  /** The whole body, as long as it may be. */
  async text(response: HttpResponse): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      length += chunk.byteLength;
      if (length > this.maxBytes) {
        throw this.tooLong();
      }
      chunks.push(chunk);
    }
    const [only] = chunks;
    return decoder.decode(chunks.length === 1 ? only : Buffer.concat(chunks));
  }

  /** Why the server does not do what it was asked; `text` is the beginning of what it says. */
  refusal({ status, headers }: ResponseHead, text: string, inSession = false): McpError {
    const waitMs = retryAfterMs(headers["retry-after"], this.#clock.now());
    return toRefusal(
      { status, text, inSession, retryAfterMs: waitMs },
      { link: this, connecting: this.connecting },
    );
  }

  /** What a request failed with. */
  failure(error: unknown): McpError {
    return toLinkFailure(error, { link: this, connecting: this.connecting });
  }

  tooLong(): McpError {
    return this.error(
      "mcp-limit",
      `sent more than ${this.maxBytes} bytes at once. Raise maxResponseBytes of its transport if that is expected`,
    );
  }

  error(code: McpErrorCode, what: string, status?: number): McpError {
    const known = status === undefined ? {} : { status };
    return new McpError(`${this.label} ${what}.`, { code, server: this.server, ...known });
  }

  /** A text of the server's without credentials. */
  hide(text: string): string {
    return hideValues(text, [...this.#address.secrets, this.#token]);
  }

  /** The headers of a request, credentials included. */
  async headersOf(request: ServerRequest, url: URL): Promise<Readonly<Record<string, string>>> {
    const { auth, signer } = this.#transport;
    const headers = { ...request.headers, ...this.#address.headers };
    if (auth !== undefined) {
      this.#token = await auth.token();
      headers["authorization"] = `Bearer ${this.#token}`;
    }
    if (signer === undefined) {
      return headers;
    }
    const body = Buffer.from(request.body ?? "");
    const { method } = request;
    const added = Promise.resolve(signer({ method, url: url.href, headers, body }));
    return { ...headers, ...(await added) };
  }

  async #sendOnce(request: ServerRequest, url: URL): Promise<HttpResponse> {
    const { method, body, signal } = request;
    const plain = this.#transport.auth === undefined && this.#transport.signer === undefined;
    const headers = plain
      ? { ...request.headers, ...this.#address.headers }
      : await this.headersOf(request, url);
    try {
      return await sendHttpRequest({
        method,
        url,
        headers,
        signal,
        ...this.#connection,
        ...(body === undefined ? {} : { body }),
        connectTimeoutMs: forEver,
        readTimeoutMs: forEver,
        writeTimeoutMs: forEver,
        maxResponseBytes: forEver, // counted where it is known what the answer is
      });
    } catch (error) {
      signal.throwIfAborted();
      throw this.failure(error);
    }
  }

  /** Where a request is to be sent again. */
  #redirected(
    { method }: ServerRequest,
    from: URL,
    { status, location }: { readonly status: number; readonly location: string },
  ): URL {
    const to = URL.parse(location, from.href);
    if (to?.origin !== from.origin) {
      const where = to === null ? "something that is no URL" : redactUrl(to);
      throw this.error(
        "mcp-http",
        `redirects to ${where} (HTTP ${status}), which is another origin and may not have the credentials. Set the "url" of its transport to the server itself`,
        status,
      );
    }
    if (method !== "GET" && status < 307) {
      const slash = to.pathname === `${from.pathname}/` ? ", with the slash at its end" : "";
      throw this.error(
        "mcp-http",
        `redirects a ${method} to ${redactUrl(to)} (HTTP ${status}), which would turn it into a GET. Set the "url" of its transport to that address${slash}`,
        status,
      );
    }
    return to;
  }
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const decoder = new TextDecoder();

/** The beginning of a body that matters little; of one that breaks off, nothing. */
export async function beginningOf(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > refusalBytes) {
        break; // which closes the connection
      }
    }
  } catch {
    return "";
  }
  return decoder.decode(Buffer.concat(chunks).subarray(0, refusalBytes));
}

/** Whether an answer is a stream of events. */
export function isEventStream({ headers }: HttpResponse): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") ?? false;
}
