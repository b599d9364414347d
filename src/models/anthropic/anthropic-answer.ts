import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { ModelError } from "../../model/model-error.ts";
import type { FinishReason, ModelEvent } from "../../model/model-event.ts";
import type { Usage } from "../../model/usage.ts";
import { GrowingParts } from "../provider/growing-parts.ts";
import type { AnswerAssembly, AnswerProtocol } from "../provider/provider-answer.ts";
import { errorIn } from "../provider/provider-message.ts";
import { learnResponse, type ResponseFacts } from "../provider/response-facts.ts";
import { countOf, toUsageOf } from "../provider/token-counts.ts";

/**
 * How the messages API answers.
 *
 * @param provider the key of the provider data that the parts get.
 */
export const anthropicAnswers = (provider: string): AnswerProtocol => ({
  streamType: "text/event-stream",
  answerName: "answer of the messages API",
  advice: "Check the base URL; Anthropic's is https://api.anthropic.com.",
  createAssembly: () => new MessageAssembly(provider),
  failureIn: (chunk, { event, data }) => {
    const isError = isJsonObject(chunk) && chunk["type"] === "error";
    return isError || event === "error" ? (errorIn(chunk) ?? data) : undefined;
  },
});

/** A call that grows. */
interface GrowingCall {
  readonly id: string;
  /** What the start has said; used where no deltas follow. */
  readonly input: Json | undefined;
  hasText: boolean;
}

/** Makes model events of the events of a message's stream, or of a whole message. */
class MessageAssembly implements AnswerAssembly {
  readonly #parts: GrowingParts;
  /** By the index of their block. */
  readonly #calls = new Map<Json | undefined, GrowingCall>();
  #hasCalls = false;
  #accepted = 0;
  #reason = "";
  #usage: JsonObject = {};
  #response: ResponseFacts = {};

  isLast = false;

  constructor(provider: string) {
    this.#parts = new GrowingParts(provider);
  }

  get isFinished(): boolean {
    return this.#reason !== "";
  }

  get isEmpty(): boolean {
    return this.#accepted === 0;
  }

  accept(event: JsonObject): readonly ModelEvent[] {
    const { type, message, index, delta, content_block: block, usage } = event;
    switch (type) {
      case "message":
        this.#whole(event);
        break;
      case "message_start":
        this.#head(isJsonObject(message) ? message : {});
        break;
      case "content_block_start":
        this.#start(isJsonObject(block) ? block : {}, index);
        break;
      case "content_block_delta":
        this.#delta(isJsonObject(delta) ? delta : {}, index);
        break;
      case "content_block_stop":
        this.#stop(index);
        break;
      case "message_delta":
        this.#tail({ ...(isJsonObject(delta) ? delta : {}), usage });
        break;
      case "message_stop":
        this.isLast = true;
        break;
      default: // `ping`, and what is not known yet
    }
    return this.#parts.take();
  }

  end(): readonly ModelEvent[] {
    this.#parts.close();
    for (const index of [...this.#calls.keys()]) {
      this.#stop(index);
    }
    this.#parts.events.push({
      kind: "finish",
      reason: this.#finishReason(),
      usage: toUsage(this.#usage),
      ...this.#response,
    });
    return this.#parts.take();
  }

  #whole(message: JsonObject): void {
    this.#head(message);
    const blocks = message["content"];
    for (const [index, block] of (Array.isArray(blocks) ? blocks : []).entries()) {
      this.#start(isJsonObject(block) ? block : {}, index);
      this.#stop(index);
    }
    this.#tail(message);
  }

  #head({ model, id, usage }: JsonObject): void {
    this.#accepted += 1;
    this.#response = learnResponse(this.#response, model, id);
    this.#count(usage);
  }

  #tail({ stop_reason: reason, usage }: JsonObject): void {
    this.#reason = typeof reason === "string" ? reason : this.#reason;
    this.#count(usage);
  }

  /** Counts are of the whole answer each time; those that are null say nothing. */
  #count(usage: Json | undefined): void {
    const known = Object.entries(isJsonObject(usage) ? usage : {}).filter(([, n]) => n !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }

  /** Blocks of tools that the server runs have no event. */
  #start(block: JsonObject, index: Json | undefined): void {
    const { type, text, thinking, signature, data } = block;
    this.#parts.close();
    if (type === "text") {
      this.#parts.ensure("text");
      this.#parts.text("text", typeof text === "string" ? text : "");
    } else if (type === "thinking") {
      this.#sign(signature);
      this.#parts.text("reasoning", typeof thinking === "string" ? thinking : "");
    } else if (type === "redacted_thinking") {
      this.#parts.ensure("reasoning").opaque = { data };
    } else if (type === "tool_use") {
      this.#startCall(block, index);
    }
  }

  #startCall({ id, name, input }: JsonObject, index: Json | undefined): void {
    if (typeof id !== "string" || id === "" || typeof name !== "string" || name === "") {
      throw new ModelError("The model asked for a tool call without an id or a name.", {
        code: "model-invalid-response",
        retryable: true,
      });
    }
    this.#hasCalls = true;
    this.#calls.set(index, { id, input, hasText: false });
    this.#parts.events.push({ kind: "tool-call-start", id, name });
  }

  #delta(delta: JsonObject, index: Json | undefined): void {
    const { type, text, thinking, signature, partial_json: json } = delta;
    const call = this.#calls.get(index);
    if (type === "text_delta" && typeof text === "string") {
      this.#parts.text("text", text);
    } else if (type === "thinking_delta" && typeof thinking === "string") {
      this.#parts.text("reasoning", thinking);
    } else if (type === "signature_delta") {
      this.#sign(signature);
    } else if (type === "input_json_delta" && typeof json === "string" && json !== "" && call) {
      call.hasText = true;
      this.#parts.events.push({ kind: "tool-call-delta", id: call.id, text: json });
    }
  }

  #sign(signature: Json | undefined): void {
    const part = this.#parts.ensure("reasoning");
    if (typeof signature === "string" && signature !== "") {
      part.opaque = { signature };
    }
  }

  #stop(index: Json | undefined): void {
    this.#parts.close();
    const call = this.#calls.get(index);
    if (call !== undefined) {
      this.#calls.delete(index);
      const { id, input, hasText } = call;
      if (!hasText && input !== undefined) {
        this.#parts.events.push({ kind: "tool-call-delta", id, text: JSON.stringify(input) });
      }
      this.#parts.events.push({ kind: "tool-call-end", id });
    }
  }

  #finishReason(): FinishReason {
    switch (this.#reason) {
      case "max_tokens":
      case "model_context_window_exceeded":
        return "length";
      case "refusal":
        return "content-filter";
      default:
        break;
    }
    if (this.#hasCalls) {
      return "tool-calls";
    }
    return this.#reason === "end_turn" || this.#reason === "stop_sequence" ? "stop" : "other";
  }
}

/** Tokens that were read from the cache, or written to it, are not among `input_tokens`. */
function toUsage(usage: JsonObject): Usage {
  const read = countOf(usage["cache_read_input_tokens"]);
  const written = countOf(usage["cache_creation_input_tokens"]);
  const details = usage["output_tokens_details"];
  return toUsageOf({
    inputTokens: (countOf(usage["input_tokens"]) ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: countOf(usage["output_tokens"]) ?? 0,
    cachedInputTokens: read,
    cacheWriteInputTokens: written,
    reasoningTokens: isJsonObject(details) ? countOf(details["thinking_tokens"]) : undefined,
  });
}
