import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { AnswerProtocol } from "../provider/provider-answer.ts";
import { errorIn } from "../provider/provider-message.ts";
import type { AnswerPiece } from "../provider/read-lines.ts";
import { ChatAssembly } from "./openai-assembly.ts";

/**
 * How chat completions are answered.
 *
 * @param provider the key of the provider data that the parts get.
 */
export const chatAnswers = (provider: string): AnswerProtocol => ({
  streamType: "text/event-stream",
  endMark: "[DONE]",
  answerName: "chat completion",
  advice: "Check that the base URL is that of an OpenAI-compatible API; it often ends in /v1.",
  createAssembly: () => new ChatAssembly(provider),
  failureIn,
});

/** The failure that a provider reports in the place of (more of) an answer. */
function failureIn(chunk: Json | undefined, { event, data }: AnswerPiece): Json | undefined {
  if (isJsonObject(chunk) && !isErrorObject(chunk) && event !== "error") {
    return chunk["error"] ?? errorOfChoice(chunk);
  }
  const isError = isJsonObject(chunk) || Array.isArray(chunk) || event === "error";
  return isError ? (errorIn(chunk) ?? data) : undefined;
}

/** vLLM and Anthropic's gateways put the error's fields at the top. */
const isErrorObject = (chunk: JsonObject): boolean =>
  chunk["object"] === "error" || chunk["type"] === "error";

/** OpenRouter puts a failure into the choice, beside the finish reason `error`. */
function errorOfChoice({ choices }: JsonObject): Json | undefined {
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  if (!isJsonObject(choice)) {
    return undefined;
  }
  return (
    choice["error"] ??
    (choice["finish_reason"] === "error" ? "the model stopped with an error" : undefined)
  );
}
