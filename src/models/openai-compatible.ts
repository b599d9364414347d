import { systemClock } from "../base/clock.ts";
import { ToolError } from "../base/tool-error.ts";
import { sendHttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";
import type { Model, ModelRequest } from "../model/model.ts";
import type { ModelError } from "../model/model-error.ts";
import type { ModelEvent } from "../model/model-event.ts";
import { readAnswer } from "./openai-answer.ts";
import { authorize, type Connection, toConnection } from "./openai-connection.ts";
import type { OpenAiCompatibleOptions } from "./openai-options.ts";
import { renderRequest } from "./openai-request.ts";
import { type ProviderScope, toStatusError, toTransportError } from "./provider-error.ts";

/**
 * A model that is spoken to by OpenAI's chat completions: OpenAI itself, OpenRouter, vLLM, LM Studio,
 * llama.cpp, Google's OpenAI-compatible endpoint, Ollama's `/v1` and many more.
 *
 * Whether an answer is a stream is decided by its content type, not by what was asked for. A refusal
 * is text, with the finish reason `content-filter`. It tries once: who calls decides on retries.
 *
 * @throws ConfigurationError where the model, the URL or the key cannot be used.
 */
export function openAiCompatible(options: OpenAiCompatibleOptions): Model {
  const connection = toConnection(options);
  return {
    id: connection.id,
    capabilities: connection.capabilities,
    stream: (request, { signal }) => streamAnswer(connection, request, signal),
  };
}

async function* streamAnswer(
  connection: Connection,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  signal.throwIfAborted();
  const { headers, scope } = await authorize(connection, signal);
  try {
    const response = await sendHttpRequest({
      ...connection.http,
      method: "POST",
      url: connection.url,
      headers,
      body: renderRequest(request, connection.request),
      signal,
    });
    if (response.status < 200 || response.status > 299) {
      throw await toRefusal(response, scope);
    }
    for await (const events of readAnswer(response, { ...scope, ...connection.request })) {
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
