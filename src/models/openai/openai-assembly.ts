import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { FinishReason, ModelEvent } from "../../model/model-event.ts";
import { noUsage, type Usage } from "../../model/usage.ts";
import { GrowingParts } from "../provider/growing-parts.ts";
import type { AnswerAssembly } from "../provider/provider-answer.ts";
import { mergeOpaque } from "../provider/provider-data.ts";
import { learnResponse, type ResponseFacts } from "../provider/response-facts.ts";
import { addDetails, type ReasoningPiece, reasoningIn } from "./openai-reasoning.ts";
import { ToolCallAssembly } from "./openai-tool-calls.ts";
import { toUsage } from "./openai-usage.ts";

/**
 * Makes model events of the parsed objects of a chat completion, streamed (`delta`) or whole
 * (`message`). Synchronous: {@link accept} each object, then {@link end}.
 */
export class ChatAssembly implements AnswerAssembly {
  readonly #parts: GrowingParts;
  readonly #calls: ToolCallAssembly;
  #accepted = 0;
  #reason = "";
  #refused = false;
  #usage: Usage = noUsage;
  #response: ResponseFacts = {};

  /** @param provider the key of the provider data that the parts get. */
  constructor(provider: string) {
    this.#parts = new GrowingParts(provider);
    this.#calls = new ToolCallAssembly(provider);
  }

  /** Whether the provider has said why the model stopped: nothing of the answer is missing then. */
  get isFinished(): boolean {
    return this.#reason !== "";
  }

  /** Whether any answer has come at all. */
  get isEmpty(): boolean {
    return this.#accepted === 0;
  }

  /** Never: a mark that is no object says so. */
  get isLast(): boolean {
    return false;
  }

  /** The events that follow from one object of the stream. */
  accept(chunk: JsonObject): readonly ModelEvent[] {
    this.#response = learnResponse(this.#response, chunk["model"], chunk["id"]);
    const usage = chunk["usage"];
    if (isJsonObject(usage)) {
      this.#usage = toUsage(usage);
    }
    const choice = firstChoice(chunk["choices"]);
    if (choice !== undefined) {
      this.#accepted += 1;
      const delta = choice["delta"] ?? choice["message"];
      if (isJsonObject(delta)) {
        this.#acceptDelta(delta);
      }
      const reason = choice["finish_reason"];
      if (typeof reason === "string" && reason !== "") {
        this.#reason = reason;
      }
    }
    return this.#parts.take();
  }

  /** Closes what is open and finishes. */
  end(): readonly ModelEvent[] {
    this.#parts.close();
    this.#calls.end(this.#parts.events);
    this.#parts.events.push({
      kind: "finish",
      reason: this.#finishReason(),
      usage: this.#usage,
      ...this.#response,
    });
    return this.#parts.take();
  }

  #acceptDelta(delta: JsonObject): void {
    const reasoning = reasoningIn(delta);
    if (reasoning !== undefined) {
      this.#reasoning(reasoning);
    }
    const { content, refusal, tool_calls: calls, extra_content: extra } = delta;
    if (isThought(extra)) {
      this.#parts.text("reasoning", withoutTags(content));
      return;
    }
    if (typeof content === "string") {
      this.#parts.text("text", content);
    } else if (Array.isArray(content)) {
      content.forEach(this.#contentPart, this);
    }
    if (typeof refusal === "string" && refusal !== "") {
      this.#refused = true;
      this.#parts.text("text", refusal);
    }
    if (isJsonObject(extra)) {
      this.#extra(extra);
    }
    if (Array.isArray(calls) && calls.length > 0) {
      this.#parts.close();
      for (const call of calls) {
        this.#calls.accept(call, this.#parts.events);
      }
    }
  }

  /** Mistral writes its content as parts once the model thinks. */
  #contentPart(part: Json): void {
    if (!isJsonObject(part)) {
      return;
    }
    if (part["type"] === "text" && typeof part["text"] === "string") {
      this.#parts.text("text", part["text"]);
    } else if (part["type"] === "thinking" && Array.isArray(part["thinking"])) {
      const pieces = part["thinking"].filter(isJsonObject).map(({ text }) => text);
      this.#parts.text("reasoning", pieces.filter((text) => typeof text === "string").join(""));
    }
  }

  #reasoning({ text, field, details }: ReasoningPiece): void {
    const part = this.#parts.ensure("reasoning");
    const before = part.opaque?.["reasoning_details"];
    const blocks = Array.isArray(before) ? before.filter(isJsonObject) : [];
    if (details !== undefined) {
      addDetails(blocks, details);
    }
    if (blocks.length > 0) {
      part.opaque = { reasoning_details: blocks };
    } else if (field !== undefined) {
      part.opaque = { field };
    }
    this.#parts.text("reasoning", text);
  }

  /** Google signs a text as well; the signature may come alone, after the text or instead of it. */
  #extra(extra: JsonObject): void {
    const part = this.#parts.ensure("text");
    part.opaque = mergeOpaque(part.opaque, { extra_content: extra });
  }

  #finishReason(): FinishReason {
    switch (this.#reason) {
      case "length":
      case "max_tokens":
      case "model_length":
        return "length";
      case "content_filter":
        return "content-filter";
      default:
        break;
    }
    if (this.#calls.hasCalls) {
      return "tool-calls"; // also where the provider says "stop"
    }
    if (this.#refused) {
      return "content-filter";
    }
    return this.#reason === "stop" || this.#reason === "" ? "stop" : "other";
  }
}

/** Google marks the text of a thought, where it was asked for thoughts, and puts it in tags as well. */
const isThought = (extra: Json | undefined): boolean =>
  isJsonObject(extra) && isJsonObject(extra["google"]) && extra["google"]["thought"] === true;

const withoutTags = (content: Json | undefined): string =>
  typeof content === "string" ? content.replace(/^<thought>|<\/thought>$/g, "") : "";

/** The choice of index 0; others are there only where the request was made to ask for them. */
function firstChoice(choices: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(choices)) {
    return undefined;
  }
  const [first] = choices;
  const choice = isFirst(first) ? first : choices.find(isFirst);
  return isJsonObject(choice) ? choice : undefined;
}

const isFirst = (choice: Json | undefined): boolean =>
  isJsonObject(choice) && (choice["index"] ?? 0) === 0;
