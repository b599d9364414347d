import type { Clock } from "../base/clock.ts";
import type { AddressGuard } from "./address-guard.ts";
import type { ConnectionOptions } from "./connection-pool.ts";
import type { HttpInstrumentor } from "./http-instrumentor.ts";
import type { HttpLimits } from "./http-request.ts";
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
  /** Default: failed requests go to the console as errors, and nothing else does. */
  readonly instrumentor?: HttpInstrumentor;
  /** What deadlines and the waits between tries go by. Default: the machine's clock. */
  readonly clock?: Clock;
}
