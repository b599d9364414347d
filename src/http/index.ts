export type { ConnectionOptions, TlsOptions } from "./connection-pool.ts";
export {
  type HttpBody,
  type HttpLimits,
  type HttpRequest,
  sendHttpRequest,
} from "./http-request.ts";
export type { HttpResponse } from "./http-response.ts";
export {
  readServerSentEvents,
  type ServerSentEvent,
  type ServerSentEventsOptions,
} from "./server-sent-events.ts";
