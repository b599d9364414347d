import { checkNumbers, type NumberRule } from "../base/check-numbers.ts";
import { refuseUnknownKeys } from "../base/check-object.ts";
import type { Clock } from "../base/clock.ts";
import type { AddressGuard } from "./address-guard.ts";
import type { ConnectionOptions } from "./connection-pool.ts";
import type { HttpInstrumentor } from "./http-instrumentor.ts";
import { checkHttpLimits, type HttpLimits } from "./http-request.ts";
import type { RetryOptions } from "./retry.ts";

/** How a client connects and what it puts up with; a request's own options override the client's. */
export interface HttpOptions extends ConnectionOptions, HttpLimits {
  /** Default: HEAD 0, so that a status is seen as it is; every other method 5. */
  readonly maxRedirects?: number;
  /** Absent: each request is sent once. */
  readonly retry?: RetryOptions;
  /** Lets only such addresses be asked; for URLs that a model or another stranger has chosen. */
  readonly guard?: AddressGuard;
  /**
   * Origins, besides the base URL's, that may have the default headers that look like credentials,
   * such as `https://files.example`. Default: none.
   */
  readonly credentialOrigins?: readonly string[];
  /**
   * Default: failed requests are errors in the log, and nothing else is told. The log is that of the tool
   * call that the client is for, `configure({ logger })`; of a client without a call it is the console.
   */
  readonly instrumentor?: HttpInstrumentor;
  /** What deadlines and the waits between tries go by. Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * @param where whose options they are, as in `of the request`.
 * @throws ConfigurationError where one is no number that it may be.
 */
export function checkHttpOptions(options: HttpOptions, where: string): void {
  refuseUnknownKeys(options, httpOptionNames, `The set of options ${where}`, elsewhere);
  checkHttpLimits(options, where);
  checkNumbers(options, { maxRedirects: "count-or-0" }, { where });
  checkNumbers(options.retry ?? {}, retryNumbers, { where: `in retry ${where}` });
}

/** Every option, so that the compiler misses none here. */
const names: Readonly<Record<keyof HttpOptions, true>> = {
  tls: true,
  proxy: true,
  keepAlive: true,
  lookup: true,
  connectTimeoutMs: true,
  readTimeoutMs: true,
  writeTimeoutMs: true,
  maxResponseBytes: true,
  maxRedirects: true,
  retry: true,
  guard: true,
  credentialOrigins: true,
  instrumentor: true,
  clock: true,
};

/** What an HTTP client may be told. */
export const httpOptionNames: readonly string[] = Object.keys(names);

/** What other libraries call them. */
const elsewhere: Readonly<Record<string, string>> = {
  timeout: "readTimeoutMs",
  timeoutMs: "readTimeoutMs",
  retries: "retry",
  agent: "proxy",
};

const retryNumbers: Readonly<Record<keyof RetryOptions, NumberRule>> = {
  attempts: "count",
  delayMs: "milliseconds-or-0",
  maxDelayMs: "milliseconds-or-0",
};
