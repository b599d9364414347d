import { systemClock } from "../../base/clock.ts";
import { ToolError } from "../../base/tool-error.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { sendHttpRequest } from "../../http/send-http-request.ts";
import type { Model, ModelCapabilities, ModelRequest } from "../../model/model.ts";
import type { ModelError } from "../../model/model-error.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import { type AnswerProtocol, readAnswer } from "./provider-answer.ts";
import { keyOf, type ProviderConnection } from "./provider-connection.ts";
import { type ProviderScope, toStatusError, toTransportError } from "./provider-error.ts";

/** What one provider's wire adds to HTTP. */
export interface ProviderProtocol extends AnswerProtocol {
  /** Where requests go. */
  readonly url: URL;
  /** The headers that a key, which is not empty, is sent in; by lower-case name. */
  readonly keyHeaders: (key: string) => Readonly<Record<string, string>>;
  /** The body of a request, as JSON text. */
  readonly renderRequest: (request: ModelRequest) => string;
}

/**
 * A model behind a provider's HTTP interface. It tries once: who calls decides on retries. Failures of
 * the provider and of the way there are ModelErrors; no credential is in their messages.
 */
export function createProviderModel(
  connection: ProviderConnection,
  capabilities: ModelCapabilities,
  protocol: ProviderProtocol,
): Model {
  return {
    id: connection.id,
    capabilities,
    endpoint: endpointOf(connection.base),
    isStreamed: connection.stream,
    stream: (request, options) => streamAnswer(connection, protocol, request, options),
  };
}

async function* streamAnswer(
  connection: ProviderConnection,
  protocol: ProviderProtocol,
  request: ModelRequest,
  { signal, span }: Parameters<Model["stream"]>[1],
): AsyncGenerator<ModelEvent, void, undefined> {
  signal.throwIfAborted();
  const key = await keyOf(connection, signal);
  const { secrets } = connection.scope;
  const scope = { ...connection.scope, secrets: key === "" ? secrets : [...secrets, key] };
  try {
    const response = await sendHttpRequest({
      ...connection.http,
      method: "POST",
      url: protocol.url,
      headers: {
        accept: connection.stream ? protocol.streamType : "application/json",
        "content-type": "application/json",
        ...(key === "" ? {} : protocol.keyHeaders(key)),
        ...span?.context(),
        ...connection.headers,
      },
      body: protocol.renderRequest(request),
      signal,
    });
    if (response.status < 200 || response.status > 299) {
      throw await toRefusal(response, scope);
    }
    for await (const events of readAnswer(response, protocol, connection.stream, scope)) {
      signal.throwIfAborted();
      for (const event of events) {
        yield event;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw toTransportError(error, scope);
  }
}

/** Where a URL points to; no path and no query, which may hold a key. */
function endpointOf({ hostname, port, protocol }: URL): NonNullable<Model["endpoint"]> {
  const usual = protocol === "https:" ? 443 : 80;
  return { address: hostname, port: port === "" ? usual : Number(port) };
}

async function toRefusal(response: HttpResponse, scope: ProviderScope): Promise<ModelError> {
  const { status, headers } = response;
  const body = await startOf(response, scope);
  return toStatusError({ status, headers, body }, scope, systemClock.now());
}

/** As much of an error body as is worth reading. */
const mostErrorBytes = 16 * 1024;

/** The start of a body; what breaks it off takes nothing from the status. */
async function startOf(response: HttpResponse, { secrets }: ProviderScope): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > mostErrorBytes) {
        break;
      }
    }
  } catch (error) {
    if (!ToolError.is(error)) {
      throw error;
    }
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  // A secret that the cut has halved would not be found.
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  return size > mostErrorBytes ? text.slice(0, -longest || undefined) : text;
}
