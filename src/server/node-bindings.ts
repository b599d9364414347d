import type { IncomingMessage, ServerResponse } from "node:http";

/** What node:http has of a request; a type of our own, so that users need no other package's types. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}
