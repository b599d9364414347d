import type { CallScope } from "../base/call-scope.ts";
import { refuseUnknownKeys } from "../base/check-object.ts";
import { systemClock } from "../base/clock.ts";
import { version } from "../base/version.ts";
import { attemptRequest, type ClientRequest } from "./http-attempt.ts";
import { HttpClientResponse } from "./http-client-response.ts";
import { quietInstrumentor } from "./http-instrumentor.ts";
import { checkHttpOptions, type HttpOptions, httpOptionNames } from "./http-options.ts";
import { isRepeatable } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";
import { encodeBody, type HttpClientBody } from "./request-body.ts";
import { type HttpHeaders, mergeHeaders, withoutCredentials } from "./request-headers.ts";
import { type HttpQuery, toBaseUrl, toRequestUrl } from "./request-url.ts";
import { pause, retryDelayMs } from "./retry.ts";

/** What an {@link HttpClient} is made of. */
export interface HttpClientOptions {
  /** An absolute `http:` or `https:` URL. */
  readonly baseUrl: string | URL;
  /** Go with every request; a request's own headers override them, whatever their case. */
  readonly headers?: HttpHeaders;
  readonly options?: HttpOptions;
  /** What bounds all its requests, and whose trace context they carry; see `httpClientFor`. */
  readonly scope?: CallScope;
}

/** What one request may add. */
export interface HttpRequestOptions {
  /** Appended to the URL. */
  readonly query?: HttpQuery;
  /** Merged over the default headers. */
  readonly headers?: HttpHeaders;
  /** Merged over the client's options. */
  readonly options?: HttpOptions;
  /** Aborting rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** When the answer must have come whole, in milliseconds since the Unix epoch. */
  readonly deadline?: number;
}

/** What one request with a body may add. */
export interface HttpBodyOptions extends HttpRequestOptions {
  readonly body?: HttpClientBody;
}

/**
 * The HTTP client for tools. It knows nothing of authentication: put credentials into headers.
 *
 * `path` is joined to the base URL; an absolute URL is asked as it is, with the same options, but
 * without the default headers that look like credentials unless it has the base URL's origin or
 * one of `credentialOrigins`.
 *
 * All methods throw kinds of `ToolError`, which a tool may let rise: `ToolHttpError` for 4xx and 5xx,
 * `ToolTimeoutError`, `ToolNetworkError`, `ToolCertificateError`; `ToolError` itself for a request that
 * cannot be made and an answer that is too large. Messages hold no header, no body and no value of a
 * query; what led to the error is its `cause`.
 *
 * A client holds nothing that must be closed: idle connections are shared, closed after four seconds
 * and do not keep the process alive.
 */
export class HttpClient {
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: HttpOptions;
  readonly #scope: CallScope | undefined;

  /** @throws ToolError where the base URL is not an http(s) URL; ConfigurationError where an option is no number that it may be. */
  constructor({ baseUrl, headers = {}, options = {}, scope, ...rest }: HttpClientOptions) {
    refuseUnknownKeys(rest, clientOptions, "new HttpClient({ … })", ofOptions);
    checkHttpOptions(options, "of the HttpClient");
    this.#base = toBaseUrl(baseUrl);
    this.#headers = mergeHeaders({ "user-agent": userAgent }, scope?.traceHeaders ?? {}, headers);
    const logger = scope?.logger;
    const told = logger === undefined ? {} : { instrumentor: quietInstrumentor(logger) };
    this.#options = { ...told, ...options };
    this.#scope = scope;
  }

  get(path: string | URL, request: HttpRequestOptions = {}): Promise<HttpClientResponse> {
    return this.request("GET", path, request);
  }

  /** The answer has a status and headers, and an empty body. */
  head(path: string | URL, request: HttpRequestOptions = {}): Promise<HttpClientResponse> {
    return this.request("HEAD", path, request);
  }

  post(path: string | URL, request: HttpBodyOptions = {}): Promise<HttpClientResponse> {
    return this.request("POST", path, request);
  }

  put(path: string | URL, request: HttpBodyOptions = {}): Promise<HttpClientResponse> {
    return this.request("PUT", path, request);
  }

  patch(path: string | URL, request: HttpBodyOptions = {}): Promise<HttpClientResponse> {
    return this.request("PATCH", path, request);
  }

  delete(path: string | URL, request: HttpBodyOptions = {}): Promise<HttpClientResponse> {
    return this.request("DELETE", path, request);
  }

  /** Any method; the body of the answer is read whole. */
  request(
    method: string,
    path: string | URL,
    request: HttpBodyOptions = {},
  ): Promise<HttpClientResponse> {
    return this.#retrying(method, path, request, readWhole);
  }

  /** Any method; the caller reads the body of the answer as it comes, or cancels it. */
  stream(method: string, path: string | URL, request: HttpBodyOptions = {}): Promise<HttpResponse> {
    return this.#retrying(method, path, request, (response) => response);
  }

  async #retrying<Result>(
    method: string,
    path: string | URL,
    given: HttpBodyOptions,
    use: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    checkHttpOptions(given.options ?? {}, "of the request");
    const options = { ...this.#options, ...given.options };
    const { retry = { attempts: 1 }, clock = systemClock } = options;
    const request = await this.#toRequest(method, path, given, options);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptRequest(request, attempt, use);
      } catch (error) {
        const delayMs = isRepeatable(request)
          ? retryDelayMs(error, attempt, retry, clock.now())
          : undefined;
        if (delayMs === undefined || clock.now() + delayMs > (request.deadline ?? Infinity)) {
          throw error;
        }
        await pause(clock, delayMs, request.signal);
      }
    }
  }

  async #toRequest(
    method: string,
    path: string | URL,
    { query, headers = {}, ...given }: HttpBodyOptions,
    options: HttpOptions,
  ): Promise<ClientRequest> {
    const url = toRequestUrl(this.#base, path, query);
    const { body, contentType } = await encodeBody(given.body);
    const implied = contentType === undefined ? {} : { "content-type": contentType };
    const signals = [this.#scope?.signal, given.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    const deadline = Math.min(this.#scope?.deadline ?? Infinity, given.deadline ?? Infinity);
    return {
      ...options,
      method,
      url,
      headers: mergeHeaders(this.#defaultHeadersFor(url, options), implied, headers),
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      ...(deadline === Infinity ? {} : { deadline }),
    };
  }

  #defaultHeadersFor(
    url: URL,
    { credentialOrigins = [] }: HttpOptions,
  ): Readonly<Record<string, string>> {
    return url.origin === this.#base.origin || credentialOrigins.includes(url.origin)
      ? this.#headers
      : withoutCredentials(this.#headers);
  }
}

const clientOptions = ["baseUrl", "headers", "options", "scope"];

/** What stands one level further down. */
const ofOptions: Readonly<Record<string, string>> = Object.fromEntries(
  httpOptionNames.map((name) => [name, `options: { ${name} }`]),
);

const userAgent = `Dragoman/${version} node-http/${process.versions.node}`;

const readWhole = async ({ status, headers, bytes }: HttpResponse): Promise<HttpClientResponse> =>
  new HttpClientResponse(status, headers, await bytes());
