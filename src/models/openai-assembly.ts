import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { ProviderData } from "../message/content.ts";
import type { FinishReason, ModelEvent } from "../model/model-event.ts";
import { noUsage, type Usage } from "../model/usage.ts";
import { mergeOpaque } from "./openai-provider-data.ts";
import { addDetails, type ReasoningPiece, reasoningIn } from "./openai-reasoning.ts";
import { ToolCallAssembly } from "./openai-tool-calls.ts";
import { toUsage } from "./openai-usage.ts";

/** The text or reasoning that grows at present. */
interface OpenPart {
  readonly kind: "text" | "reasoning";
  readonly id: string;
  /** What the provider wants back with it. */
  opaque: JsonObject | undefined;
  /** OpenRouter's blocks of reasoning. */
  readonly details: JsonObject[];
}

/**
 * Makes model events of the parsed objects of a chat completion, streamed (`delta`) or whole
 * (`message`). Synchronous: {@link accept} each object, then {@link end}.
 */
export class ChatAssembly {
  readonly #provider: string;
  readonly #calls: ToolCallAssembly;
  #open: OpenPart | undefined;
  #parts = 0;
  #accepted = 0;
  #reason = "";
  #refused = false;
  #usage: Usage = noUsage;
  #responseModel: string | undefined;
  #events: ModelEvent[] = [];

  /** @param provider the key of the provider data that the parts get. */
  constructor(provider: string) {
    this.#provider = provider;
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

  /** The events that follow from one object of the stream. */
  accept(chunk: JsonObject): readonly ModelEvent[] {
    if (this.#responseModel === undefined && typeof chunk["model"] === "string") {
      this.#responseModel = chunk["model"] || undefined;
    }
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
    return this.#take();
  }

  /** Closes what is open and finishes. */
  end(): readonly ModelEvent[] {
    this.#close();
    this.#calls.end(this.#events);
    this.#events.push({
      kind: "finish",
      reason: this.#finishReason(),
      usage: this.#usage,
      ...(this.#responseModel === undefined ? {} : { responseModel: this.#responseModel }),
    });
    return this.#take();
  }

  #acceptDelta(delta: JsonObject): void {
    const reasoning = reasoningIn(delta);
    if (reasoning !== undefined) {
      this.#reasoning(reasoning);
    }
    const { content, refusal, tool_calls: calls, extra_content: extra } = delta;
    if (isThought(extra)) {
      this.#text("reasoning", withoutTags(content));
      return;
    }
    if (typeof content === "string") {
      this.#text("text", content);
    } else if (Array.isArray(content)) {
      content.forEach(this.#contentPart, this);
    }
    if (typeof refusal === "string" && refusal !== "") {
      this.#refused = true;
      this.#text("text", refusal);
    }
    if (isJsonObject(extra)) {
      this.#extra(extra);
    }
    if (Array.isArray(calls) && calls.length > 0) {
      this.#close();
      for (const call of calls) {
        this.#calls.accept(call, this.#events);
      }
    }
  }

  /** Mistral writes its content as parts once the model thinks. */
  #contentPart(part: Json): void {
    if (!isJsonObject(part)) {
      return;
    }
    if (part["type"] === "text" && typeof part["text"] === "string") {
      this.#text("text", part["text"]);
    } else if (part["type"] === "thinking" && Array.isArray(part["thinking"])) {
      const pieces = part["thinking"].filter(isJsonObject).map(({ text }) => text);
      this.#text("reasoning", pieces.filter((text) => typeof text === "string").join(""));
    }
  }

  #reasoning({ text, field, details }: ReasoningPiece): void {
    const part = this.#ensure("reasoning");
    if (field !== undefined) {
      part.opaque = { field };
    }
    if (details !== undefined) {
      addDetails(part.details, details);
    }
    this.#text("reasoning", text);
  }

  #text(kind: OpenPart["kind"], text: string): void {
    if (text !== "") {
      const { id } = this.#ensure(kind);
      this.#events.push({ kind: `${kind}-delta`, id, text });
    }
  }

  /** Google signs a text as well; the signature may come alone, after the text or instead of it. */
  #extra(extra: JsonObject): void {
    const part = this.#ensure("text");
    part.opaque = mergeOpaque(part.opaque, { extra_content: extra });
  }

  #ensure(kind: OpenPart["kind"]): OpenPart {
    if (this.#open?.kind === kind) {
      return this.#open;
    }
    this.#close();
    const part: OpenPart = { kind, id: `${kind}_${this.#parts}`, opaque: undefined, details: [] };
    this.#parts += 1;
    this.#open = part;
    this.#events.push({ kind: `${kind}-start`, id: part.id });
    return part;
  }

  #close(): void {
    const part = this.#open;
    if (part === undefined) {
      return;
    }
    this.#open = undefined;
    const opaque: JsonObject | undefined =
      part.details.length === 0 ? part.opaque : { reasoning_details: part.details };
    const providerData: ProviderData | undefined = opaque && { [this.#provider]: opaque };
    this.#events.push({
      kind: `${part.kind}-end`,
      id: part.id,
      ...(providerData && { providerData }),
    });
  }

  #take(): readonly ModelEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
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
