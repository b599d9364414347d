import type { CallScope } from "../base/call-scope.ts";
import { HttpClient, type HttpClientOptions } from "./http-client.ts";

/**
 * A client for the length of one tool call: its requests end when the call is cancelled or its
 * deadline passes, and carry the call's trace context. It holds nothing that must be closed.
 */
export function httpClientFor(
  call: CallScope,
  options: Omit<HttpClientOptions, "scope">,
): HttpClient {
  return new HttpClient({ ...options, scope: call });
}
