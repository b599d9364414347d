import type { Model } from "../../model/model.ts";
import { urlBelow } from "../provider/provider-connection.ts";
import { createProviderModel } from "../provider/provider-model.ts";
import { chatAnswers } from "./openai-answer.ts";
import { toConnection } from "./openai-connection.ts";
import type { OpenAiCompatibleOptions } from "./openai-options.ts";
import { renderRequest } from "./openai-request.ts";

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
  const { connection, capabilities, request } = toConnection(options);
  return createProviderModel(connection, capabilities, {
    ...chatAnswers(request.provider),
    url: urlBelow(connection, "/chat/completions"),
    keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
    renderRequest: (asked) => renderRequest(asked, request),
  });
}
