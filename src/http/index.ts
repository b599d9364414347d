export type { CallScope } from "../base/call-scope.ts";
export {
  AddressGuard,
  type AddressGuardOptions,
  type AddressRule,
  type ResolveHost,
} from "./address-guard.ts";
export type { ConnectionOptions, TlsOptions } from "./connection-pool.ts";
export { type GuardedRequest, guardedFetch } from "./guarded-fetch.ts";
export {
  type HttpBodyOptions,
  HttpClient,
  type HttpClientOptions,
  type HttpRequestOptions,
} from "./http-client.ts";
export { httpClientFor } from "./http-client-for.ts";
export { HttpClientResponse } from "./http-client-response.ts";
export {
  type HttpEvent,
  type HttpEventSubject,
  type HttpInstrumentor,
  quietInstrumentor,
} from "./http-instrumentor.ts";
export type { HttpOptions } from "./http-options.ts";
export type { HttpBody, HttpLimits, HttpRequest } from "./http-request.ts";
export type { HttpResponse } from "./http-response.ts";
export type { HttpClientBody } from "./request-body.ts";
export type { HttpHeaders } from "./request-headers.ts";
export type { HttpQuery, HttpQueryValue } from "./request-url.ts";
export type { RetryOptions } from "./retry.ts";
export { sendHttpRequest } from "./send-http-request.ts";
export {
  readServerSentEvents,
  type ServerSentEvent,
  type ServerSentEventsOptions,
} from "./server-sent-events.ts";
