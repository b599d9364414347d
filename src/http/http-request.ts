import { checkNumbers, type NumberRule } from "../base/check-numbers.ts";
import type { Clock } from "../base/clock.ts";
import { ToolError } from "../base/tool-error.ts";
import type { ConnectionOptions } from "./connection-pool.ts";

/** What a request is sent with: text (as UTF-8), bytes, or bytes as they come. */
export type HttpBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** How long each part of a request may take (`Infinity`: for ever), and how much may come back. */
export interface HttpLimits {
  /** From the start to a connection, TLS and proxy included. Default 5 000. */
  readonly connectTimeoutMs?: number;
  /** The longest silence while we wait for the answer or its next bytes. Default 15 000. */
  readonly readTimeoutMs?: number;
  /** The longest time in which the server takes none of the body. Default 15 000. */
  readonly writeTimeoutMs?: number;
  /** The longest body that is read, after decompression. Default 10 MiB. */
  readonly maxResponseBytes?: number;
}

/**
 * @param where whose limits they are, as in `of the request`.
 * @throws ConfigurationError where one is no such number.
 */
export function checkHttpLimits(limits: HttpLimits, where: string): void {
  checkNumbers(limits, httpNumbers, { where });
}

const httpNumbers: Readonly<Record<keyof HttpLimits, NumberRule>> = {
  connectTimeoutMs: "milliseconds",
  readTimeoutMs: "milliseconds",
  writeTimeoutMs: "milliseconds",
  maxResponseBytes: "bytes",
};

/** One HTTP request. */
export interface HttpRequest extends ConnectionOptions, HttpLimits {
  /** Such as `GET`. */
  readonly method: string;
  /** `http:` or `https:`; user-info becomes `Authorization: Basic`. */
  readonly url: string | URL;
  /** `Accept-Encoding` is ours unless it is given. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: HttpBody;
  /**
   * Whether a second try does no harm; such a request is sent again where the server had closed the kept
   * connection that it went out on. Default: what its method says (RFC 9110, 9.2.2).
   */
  readonly isIdempotent?: boolean;
  /** Aborting rejects what is pending with the signal's reason and closes the connection. */
  readonly signal?: AbortSignal;
  /** When all of it, body included, must have come; in milliseconds since the Unix epoch. */
  readonly deadline?: number;
  /** What tells how long it is to `deadline`. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** The URL, if it is one that can be asked. A message never repeats it: it may hold a password. */
export function toHttpUrl(url: string | URL): URL {
  const parsed = typeof url === "string" ? URL.parse(url) : url;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    const found = parsed === null ? "is no URL" : `has the scheme ${parsed.protocol}`;
    throw new ToolError(
      `The URL of the request ${found}. Give an absolute http: or https: URL with a host.`,
    );
  }
  return parsed;
}

const idempotentMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/** Whether sending the request twice is as good as once. */
export function isRepeatable({
  method,
  body,
  isIdempotent = idempotentMethods.has(method.toUpperCase()),
}: Pick<HttpRequest, "method" | "body" | "isIdempotent">): boolean {
  const whole = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  return whole && isIdempotent;
}
