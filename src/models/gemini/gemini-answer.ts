import { createId } from "../../base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { ModelError } from "../../model/model-error.ts";
import type { FinishReason, ModelEvent } from "../../model/model-event.ts";
import { noUsage, type Usage } from "../../model/usage.ts";
import { GrowingParts } from "../provider/growing-parts.ts";
import type { AnswerAssembly, AnswerProtocol } from "../provider/provider-answer.ts";
import { errorIn } from "../provider/provider-message.ts";
import { learnResponse, type ResponseFacts } from "../provider/response-facts.ts";
import { countOf, toUsageOf } from "../provider/token-counts.ts";

/**
 * How Gemini answers.
 *
 * @param provider the key of the provider data that the parts get.
 */
export const geminiAnswers = (provider: string): AnswerProtocol => ({
  streamType: "text/event-stream",
  answerName: "answer of the Gemini API",
  advice: "Check the base URL; Google's is https://generativelanguage.googleapis.com/v1beta.",
  createAssembly: () => new GeminiAssembly(provider),
  failureIn: (chunk) => {
    const whole = Array.isArray(chunk) ? chunk[0] : chunk;
    return isJsonObject(whole) && whole["error"] !== undefined ? errorIn(chunk) : undefined;
  },
});

/** Makes model events of `GenerateContentResponse` objects. */
class GeminiAssembly implements AnswerAssembly {
  readonly #parts: GrowingParts;
  readonly #ids = new Set<string>();
  #accepted = 0;
  #reason = "";
  #usage: Usage = noUsage;
  #response: ResponseFacts = {};

  readonly isLast = false;

  constructor(provider: string) {
    this.#parts = new GrowingParts(provider);
  }

  get isFinished(): boolean {
    return this.#reason !== "";
  }

  get isEmpty(): boolean {
    return this.#accepted === 0;
  }

  accept(chunk: JsonObject): readonly ModelEvent[] {
    const { candidates, usageMetadata, modelVersion, responseId, promptFeedback } = chunk;
    this.#response = learnResponse(this.#response, modelVersion, responseId);
    if (isJsonObject(usageMetadata)) {
      this.#usage = toUsage(usageMetadata);
    }
    const candidate = Array.isArray(candidates) ? candidates[0] : undefined;
    if (isJsonObject(candidate)) {
      this.#accepted += 1;
      this.#candidate(candidate);
    } else if (isJsonObject(promptFeedback) && promptFeedback["blockReason"] !== undefined) {
      throw blocked(promptFeedback);
    }
    return this.#parts.take();
  }

  end(): readonly ModelEvent[] {
    this.#parts.close();
    this.#parts.events.push({
      kind: "finish",
      reason: this.#finishReason(),
      usage: this.#usage,
      ...this.#response,
    });
    return this.#parts.take();
  }

  #candidate({ content, finishReason, finishMessage }: JsonObject): void {
    const parts = isJsonObject(content) ? content["parts"] : undefined;
    for (const part of Array.isArray(parts) ? parts.filter(isJsonObject) : []) {
      this.#part(part);
    }
    if (typeof finishReason === "string" && finishReason !== unspecified) {
      this.#reason = finishReason;
      if (broken.has(finishReason)) {
        throw brokenCall(finishReason, finishMessage);
      }
    }
  }

  /** What a part may hold besides (executed code, a picture) has no event. */
  #part(part: JsonObject): void {
    const { text, thought, thoughtSignature: signature, functionCall } = part;
    const opaque = signature === undefined ? undefined : { thoughtSignature: signature };
    if (isJsonObject(functionCall)) {
      this.#call(functionCall, opaque);
    } else if (typeof text === "string" || isBareSignature(part)) {
      const kind = thought === true ? "reasoning" : "text";
      if (opaque !== undefined) {
        this.#parts.close(); // what is signed is given back as it came, without what came before it
        this.#parts.ensure(kind).opaque = opaque;
      }
      this.#parts.text(kind, typeof text === "string" ? text : "");
      if (opaque !== undefined) {
        this.#parts.close();
      }
    }
  }

  #call({ id, name, args }: JsonObject, opaque: JsonObject | undefined): void {
    if (typeof name !== "string" || name === "") {
      throw new ModelError("The model asked for a tool call without saying which tool.", {
        code: "model-invalid-response",
        retryable: true,
      });
    }
    const given = typeof id === "string" && id !== "" ? id : undefined;
    const ownId = given === undefined || this.#ids.has(given) ? createId("call") : given;
    this.#ids.add(ownId);
    this.#parts.call({
      id: ownId,
      name,
      text: JSON.stringify(args ?? {}),
      opaque: given === undefined ? opaque : { ...opaque, id: given },
    });
  }

  #finishReason(): FinishReason {
    if (this.#reason === "MAX_TOKENS" || this.#reason === "CONTINUATION") {
      return "length";
    }
    if (filtered.has(this.#reason)) {
      return "content-filter";
    }
    if (this.#ids.size > 0) {
      return "tool-calls";
    }
    return this.#reason === "STOP" ? "stop" : "other";
  }
}

/** Whether a part holds nothing but its signature: an empty text may be left out on the wire. */
const isBareSignature = (part: JsonObject): boolean =>
  part["thoughtSignature"] !== undefined &&
  Object.keys(part).every((field) => field === "thoughtSignature" || field === "thought");

const unspecified = "FINISH_REASON_UNSPECIFIED";

const filtered = new Set([
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"],
  ...["IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "ESCALATION"],
]);

/** The model wrote something that Google cannot read; another attempt often goes well. */
const broken = new Set([
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"],
  "MISSING_THOUGHT_SIGNATURE",
]);

function brokenCall(reason: string, message: Json | undefined): ModelError {
  const why = typeof message === "string" && message !== "" ? `: ${message.slice(0, 300)}` : ".";
  return new ModelError(`The model's answer could not be used (${reason})${why}`, {
    code: "model-invalid-response",
    retryable: reason !== "MISSING_THOUGHT_SIGNATURE",
  });
}

function blocked({ blockReason, blockReasonMessage: message }: JsonObject): ModelError {
  const why = typeof message === "string" && message !== "" ? `: ${message.slice(0, 300)}` : ".";
  return new ModelError(`Google has blocked the prompt (${JSON.stringify(blockReason)})${why}`, {
    code: "model-refused",
  });
}

function toUsage(usage: JsonObject): Usage {
  const thoughts = countOf(usage["thoughtsTokenCount"]);
  return toUsageOf({
    inputTokens:
      (countOf(usage["promptTokenCount"]) ?? 0) + (countOf(usage["toolUsePromptTokenCount"]) ?? 0),
    outputTokens: (countOf(usage["candidatesTokenCount"]) ?? 0) + (thoughts ?? 0),
    cachedInputTokens: countOf(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  });
}
