import { createId } from "../../base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { FinishReason, ModelEvent } from "../../model/model-event.ts";
import { GrowingParts } from "../provider/growing-parts.ts";
import type { AnswerAssembly, AnswerProtocol } from "../provider/provider-answer.ts";
import { countOf, toUsageOf } from "../provider/token-counts.ts";

/**
 * How Ollama answers.
 *
 * @param provider the key of the provider data that the parts get.
 */
export const ollamaAnswers = (provider: string): AnswerProtocol => ({
  streamType: "application/x-ndjson",
  answerName: "answer of Ollama's /api/chat",
  advice: "Check the host; Ollama listens at http://localhost:11434.",
  createAssembly: () => new OllamaAssembly(provider),
  failureIn: (chunk) => (isJsonObject(chunk) ? chunk["error"] : undefined),
});

/** Makes model events of the objects that `/api/chat` answers with. */
class OllamaAssembly implements AnswerAssembly {
  readonly #parts: GrowingParts;
  readonly #ids = new Set<string>();
  #accepted = 0;
  #last: JsonObject | undefined;
  #model: string | undefined;

  constructor(provider: string) {
    this.#parts = new GrowingParts(provider);
  }

  get isFinished(): boolean {
    return this.#last !== undefined;
  }

  get isLast(): boolean {
    return this.#last !== undefined;
  }

  get isEmpty(): boolean {
    return this.#accepted === 0;
  }

  accept(chunk: JsonObject): readonly ModelEvent[] {
    const { message, model, done } = chunk;
    if (typeof model === "string" && model !== "") {
      this.#model ??= model;
    }
    if (isJsonObject(message)) {
      this.#accepted += 1;
      this.#message(message);
    }
    if (done === true) {
      this.#accepted += 1;
      this.#last = chunk;
    }
    return this.#parts.take();
  }

  end(): readonly ModelEvent[] {
    this.#parts.close();
    this.#parts.events.push({
      kind: "finish",
      reason: this.#finishReason(),
      usage: toUsageOf({
        inputTokens: countOf(this.#last?.["prompt_eval_count"]) ?? 0,
        outputTokens: countOf(this.#last?.["eval_count"]) ?? 0,
        cachedInputTokens: undefined,
        reasoningTokens: undefined,
      }),
      ...(this.#model === undefined ? {} : { responseModel: this.#model }),
    });
    return this.#parts.take();
  }

  #message({ content, thinking, tool_calls: calls }: JsonObject): void {
    if (typeof thinking === "string" && thinking !== "") {
      this.#parts.ensure("reasoning").opaque = { thinking: true };
      this.#parts.text("reasoning", thinking);
    }
    if (typeof content === "string") {
      this.#parts.text("text", content);
    }
    for (const call of Array.isArray(calls) ? calls : []) {
      this.#call(call);
    }
  }

  /** A call comes whole; its arguments are an object, from some gateways JSON text. */
  #call(call: Json): void {
    const { id, function: called } = isJsonObject(call) ? call : {};
    const { name, arguments: given } = isJsonObject(called) ? called : {};
    if (typeof name === "string" && name !== "") {
      const isFresh = typeof id === "string" && id !== "" && !this.#ids.has(id);
      const ownId = isFresh ? id : createId("call");
      this.#ids.add(ownId);
      const text = typeof given === "string" ? given : JSON.stringify(given ?? {});
      this.#parts.call({ id: ownId, name, text });
    }
  }

  #finishReason(): FinishReason {
    const reason = this.#last?.["done_reason"];
    if (reason === "length") {
      return "length";
    }
    if (this.#ids.size > 0) {
      return "tool-calls";
    }
    return reason === "stop" || reason === undefined || reason === "" ? "stop" : "other";
  }
}
