import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { redactUrl } from "../../base/redact-url.ts";
import { Secret } from "../../base/secret.ts";
import type { HttpRequest } from "../../http/http-request.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { sendHttpRequest } from "../../http/send-http-request.ts";
import type { UrlTransport } from "../../tool/mcp-server-config.ts";
import { type AccessRefusal, AuthorizationNeeded } from "../authorization/authorization-needed.ts";
import type { ServerAuthorization } from "../authorization/server-authorization.ts";
import { readTokenChallenge } from "../authorization/www-authenticate.ts";
import { hideValues } from "../secrets/hide-values.ts";
import { RecentSecrets } from "../secrets/recent-secrets.ts";
import { addressOf, type ServerAddress } from "../secrets/url-credentials.ts";
import { retryAfterMs, toLinkFailure, toRefusal } from "../wire/link-failure.ts";
import { McpError, type McpErrorCode } from "../wire/mcp-error.ts";

/** A request to a server. */
export interface ServerRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Default: the server's URL. It must be of the same origin. */
  readonly url?: URL;
  /** By lower-case name; the transport's own are added, and override these. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether a second try does no harm. Default: as the method says. */
  readonly isIdempotent?: boolean;
  readonly signal: AbortSignal;
}

/** The head of an answer. */
type ResponseHead = Pick<HttpResponse, "status" | "headers">;

/** The longest body, or event of a stream of events, where the transport does not say. */
const defaultMaxBytes: number = 10 * 1024 * 1024;

/** As much of the body of a refusal as is read. */
const refusalBytes = 64 * 1024;

const mostRedirects = 5;

/** A request is sent so often at most where access is wanting: as it is, with a nonce, with another token. */
const mostTries = 3;

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
  readonly #authorization: ServerAuthorization | undefined;
  /** Answers that want access, with the token that was sent. */
  readonly #refusals = new WeakMap<object, AccessRefusal>();
  /** The last token that was sent. */
  #token = "";
  /** Tokens and what the signer has added. */
  readonly #sent = new RecentSecrets();

  /** @param authorization where the transport's `auth` is OAuth */
  constructor(
    server: string,
    transport: UrlTransport,
    clock: Clock,
    authorization?: ServerAuthorization,
  ) {
    this.server = server;
    this.#authorization = authorization;
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

  /**
   * Resolves with the head of the answer, whatever its status. Where access is wanting that can be had
   * without asking anybody, it is, and the request sent once more.
   *
   * @throws McpError, or the signal's reason
   */
  send(request: ServerRequest): Promise<HttpResponse> {
    return this.#authorization === undefined
      ? this.#sendRedirected(request)
      : this.#sendWithAccess(request, this.#authorization, mostTries);
  }

  async #sendWithAccess(
    request: ServerRequest,
    authorization: ServerAuthorization,
    tries: number,
  ): Promise<HttpResponse> {
    const response = await this.#sendRedirected(request);
    const { "dpop-nonce": nonce } = response.headers;
    if (nonce !== undefined) {
      authorization.hearNonce(nonce);
    }
    const refusal = this.#refusals.get(response);
    if (refusal === undefined || request.method === "DELETE" || tries <= 1) {
      return response;
    }
    try {
      if (!(await untilAborted(authorization.recover(refusal), request.signal))) {
        return response;
      }
    } catch (error) {
      response.cancel();
      throw error;
    }
    response.cancel();
    // A proof that lacked a nonce says nothing of the token, which may be refused in its turn.
    const isProof = refusal.challenge?.error === "use_dpop_nonce";
    return this.#sendWithAccess(request, authorization, isProof ? tries - 1 : 1);
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
  refusal(head: ResponseHead, text: string, inSession = false): McpError {
    const { status, headers } = head;
    const wanting = this.#refusals.get(head) ?? this.#refusalOf(head, this.#token);
    const authorization = this.#authorization;
    if (wanting !== undefined && authorization !== undefined) {
      return new AuthorizationNeeded(authorization.explain(wanting), {
        server: this.server,
        status,
        authorize: (signal) => authorization.authorize(wanting, signal),
      });
    }
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
    return hideValues(text, [...this.#address.secrets, ...this.#sent.all]);
  }

  /** The headers of a request, credentials included. */
  async headersOf(request: ServerRequest, url: URL): Promise<Readonly<Record<string, string>>> {
    const { auth, signer } = this.#transport;
    const headers = { ...request.headers, ...this.#address.headers };
    if (this.#authorization !== undefined) {
      const shown = await this.#authorization.show({ method: request.method, url });
      this.#token = shown?.token.reveal() ?? this.#token;
      this.#sent.add(this.#token);
      Object.assign(headers, shown?.headers);
    } else if (auth !== undefined && "token" in auth) {
      this.#token = await auth.token();
      this.#sent.add(this.#token);
      headers["authorization"] = `Bearer ${this.#token}`;
    }
    if (signer === undefined) {
      return headers;
    }
    const body = Buffer.from(request.body ?? "");
    const { method } = request;
    const added = await Promise.resolve(signer({ method, url: url.href, headers, body }));
    for (const value of Object.values(added)) {
      this.#sent.add(value);
      this.#sent.add(withoutScheme(value));
    }
    return { ...headers, ...added };
  }

  /** What an answer says on access, where that is wanting. */
  #refusalOf(head: ResponseHead, sent: string): AccessRefusal | undefined {
    if (this.#authorization === undefined || (head.status !== 401 && head.status !== 403)) {
      return undefined;
    }
    const challenge = readTokenChallenge(head.headers["www-authenticate"]);
    if (head.status === 403 && challenge?.error !== "insufficient_scope") {
      return undefined;
    }
    const refused = sent === "" ? undefined : new Secret(sent);
    return { status: head.status, challenge, refused };
  }

  async #sendRedirected(request: ServerRequest): Promise<HttpResponse> {
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

  async #sendOnce(request: ServerRequest, url: URL): Promise<HttpResponse> {
    const { method, body, isIdempotent, signal } = request;
    const plain = this.#transport.auth === undefined && this.#transport.signer === undefined;
    const headers = plain
      ? { ...request.headers, ...this.#address.headers }
      : await this.headersOf(request, url);
    try {
      const response = await sendHttpRequest({
        method,
        url,
        headers,
        signal,
        ...this.#connection,
        ...(body === undefined ? {} : { body }),
        ...(isIdempotent === undefined ? {} : { isIdempotent }),
        connectTimeoutMs: forEver,
        readTimeoutMs: forEver,
        writeTimeoutMs: forEver,
        maxResponseBytes: forEver, // counted where it is known what the answer is
      });
      this.#noteRefusal(response, headers);
      return response;
    } catch (error) {
      signal.throwIfAborted();
      throw this.failure(error);
    }
  }

  /** Keeps what {@link send} and {@link refusal} need to know of an answer that wants access. */
  #noteRefusal(response: HttpResponse, headers: Readonly<Record<string, string>>): void {
    const sent = headers["authorization"]?.replace(/^\w+ /, "") ?? "";
    const refusal = this.#refusalOf(response, sent);
    if (refusal !== undefined) {
      this.#refusals.set(response, refusal);
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

/** `Bearer abc` as `abc`. */
const withoutScheme = (value: string): string => value.replace(/^\w+ +/, "");
