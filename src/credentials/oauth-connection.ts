import type { AddressGuard } from "../http/address-guard.ts";
import type { ConnectionOptions } from "../http/connection-pool.ts";
import { sendFollowingRedirects } from "../http/follow-redirects.ts";
import type { HttpLimits } from "../http/http-request.ts";

/** How authorisation servers are reached. */
export interface OAuthConnection {
  /** Proxy, certificates and times of every request to them. */
  readonly http: ConnectionOptions & HttpLimits;
  /** For endpoints that a discovery document names on another origin than the configured one. */
  readonly guard: AddressGuard;
  /** Origins for which the guard is not asked, since the application itself names them. */
  readonly trustedOrigins?: readonly string[];
  nowMs(): number;
}

/** A request to an authorisation server. */
export interface OAuthRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The longest answer of an authorisation server that is read. */
const mostBytes = 1024 * 1024;

/** What an authorisation server answers. */
export interface OAuthResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Sends a request to an authorisation server and reads the answer whole. Redirects are not followed:
 * what is sent is for this server only.
 *
 * @throws ToolError
 */
export async function sendOAuthRequest(
  { http, guard, trustedOrigins = [] }: OAuthConnection,
  { body, signal, ...request }: OAuthRequest,
): Promise<OAuthResponse> {
  // Behind a proxy it is the proxy that resolves names and connects.
  const isFree = trustedOrigins.includes(request.url.origin) || http.proxy !== undefined;
  const response = await sendFollowingRedirects({
    ...http,
    ...request,
    maxRedirects: 0,
    maxResponseBytes: http.maxResponseBytes ?? mostBytes,
    guard: isFree ? undefined : guard,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
