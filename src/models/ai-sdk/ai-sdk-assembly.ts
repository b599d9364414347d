import { createId } from "../../base/ids.ts";
import { isJsonObject, type Json, type JsonObject, toJson } from "../../base/json.ts";
import type { ProviderData } from "../../message/content.ts";
import { ModelError } from "../../model/model-error.ts";
import type { FinishReason, ModelEvent } from "../../model/model-event.ts";
import type { Usage } from "../../model/usage.ts";
import { toAnswerError } from "../provider/provider-error.ts";
import { learnResponse, type ResponseFacts } from "../provider/response-facts.ts";
import { countOf, toUsageOf } from "../provider/token-counts.ts";

/** A part that grows. */
interface OpenPart {
  readonly kind: "text" | "reasoning" | "tool-call";
  readonly id: string;
  text: string;
  /** What the provider has said last beside it. */
  metadata: Json | undefined;
}

/** Makes model events of the parts of an AI SDK stream. What is not known is passed over. */
export class AiSdkAssembly {
  readonly #key: string;
  readonly #what: string;
  /** By kind and the provider's id. */
  readonly #open = new Map<string, OpenPart>();
  /** Calls of tools that the provider runs itself. */
  readonly #foreign = new Set<string>();
  readonly #callIds = new Set<string>();
  #count = 0;
  #finish: JsonObject | undefined;
  #response: ResponseFacts = {};
  #events: ModelEvent[] = [];

  constructor({ key, what }: { readonly key: string; readonly what: string }) {
    this.#key = key;
    this.#what = what;
  }

  /** @throws ModelError where the part is a failure. */
  accept(given: unknown): readonly ModelEvent[] {
    const part = isJsonObject(given) ? given : {};
    const { type } = part;
    const [, kind = "", step = ""] =
      /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(`${type}`) ?? [];
    if (kind === "tool-input") {
      this.#input(step, part);
    } else if (kind === "text" || kind === "reasoning") {
      this.#growing(kind, step, part);
    } else if (type === "tool-call") {
      this.#call(part);
    } else if (type === "response-metadata") {
      this.#response = learnResponse(this.#response, part["modelId"], part["id"]);
    } else if (type === "finish") {
      this.#finish = part;
    } else if (type === "error") {
      this.#fail(part["error"]);
    }
    return this.#take();
  }

  /** @throws ModelError where the stream has ended before the model had. */
  end(): readonly ModelEvent[] {
    const finish = this.#finish;
    if (finish === undefined || isUntold(finish["finishReason"])) {
      throw new ModelError(`The answer of ${this.#what} ended before the model had finished.`, {
        code: "model-invalid-response",
        retryable: true,
      });
    }
    for (const label of [...this.#open.keys()]) {
      this.#close(label);
    }
    this.#events.push({
      kind: "finish",
      reason: this.#reason(finish["finishReason"]),
      usage: toUsage(isJsonObject(finish["usage"]) ? finish["usage"] : {}),
      ...this.#response,
    });
    return this.#take();
  }

  #growing(kind: "text" | "reasoning", step: string, part: JsonObject): void {
    const label = `${kind} ${part["id"]}`;
    if (step === "start" || !this.#open.has(label)) {
      this.#close(label);
      const id = `${kind}_${this.#count}`;
      this.#count += 1;
      this.#open.set(label, { kind, id, text: "", metadata: undefined });
      this.#events.push({ kind: `${kind}-start`, id });
    }
    this.#grow(label, part);
    if (step === "end") {
      this.#close(label);
    }
  }

  #grow(label: string, { delta, providerMetadata }: JsonObject): void {
    const open = this.#open.get(label);
    if (open === undefined) {
      return;
    }
    open.metadata = providerMetadata ?? open.metadata;
    if (typeof delta === "string" && delta !== "") {
      open.text += delta;
      this.#events.push({ kind: `${open.kind}-delta`, id: open.id, text: delta });
    }
  }

  /** The end of the input is not that of the call, which tells what goes back with it. */
  #input(step: string, part: JsonObject): void {
    const { id, toolName, providerExecuted } = part;
    if (step === "start" && providerExecuted === true) {
      this.#foreign.add(`${id}`);
    } else if (step === "start" && typeof toolName === "string") {
      this.#openCall(`${id}`, toolName);
    }
    this.#grow(`tool-call ${id}`, part);
  }

  #openCall(given: string, name: string): void {
    const isFresh = given !== "" && !this.#callIds.has(given);
    const id = isFresh ? given : createId("call");
    this.#callIds.add(id);
    this.#open.set(`tool-call ${given}`, { kind: "tool-call", id, text: "", metadata: undefined });
    this.#events.push({ kind: "tool-call-start", id, name });
  }

  #call({ toolCallId, toolName, input, providerExecuted, providerMetadata }: JsonObject): void {
    const given = typeof toolCallId === "string" ? toolCallId : "";
    if (providerExecuted === true || this.#foreign.has(given) || typeof toolName !== "string") {
      return;
    }
    const label = `tool-call ${given}`;
    if (!this.#open.has(label)) {
      this.#openCall(given, toolName);
    }
    const before = this.#open.get(label)?.text ?? "";
    const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
    // What has been streamed already is not said again.
    const delta = text.startsWith(before) ? text.slice(before.length) : "";
    this.#grow(label, { delta, providerMetadata });
    this.#close(label);
  }

  #close(label: string): void {
    const open = this.#open.get(label);
    if (open !== undefined) {
      this.#open.delete(label);
      const { kind, id, metadata } = open;
      const providerData: ProviderData | undefined =
        metadata === undefined ? undefined : { [this.#key]: metadata };
      this.#events.push({ kind: `${kind}-end`, id, ...(providerData && { providerData }) });
    }
  }

  #fail(error: unknown): never {
    if (error instanceof Error) {
      throw error;
    }
    throw toAnswerError(toJson(error), { what: this.#what, secrets: [] });
  }

  /** A text in V2; since V3 it stands beside the provider's own word. */
  #reason(given: Json | undefined): FinishReason {
    const reason = isJsonObject(given) ? given["unified"] : given;
    switch (reason) {
      case "length":
      case "content-filter":
        return reason;
      case "error":
        throw new ModelError(`The answer of ${this.#what} ended with an error.`, {
          code: "model-unavailable",
          retryable: true,
        });
      default:
        break;
    }
    if (this.#callIds.size > 0) {
      return "tool-calls";
    }
    return reason === "stop" ? "stop" : "other";
  }

  #take(): readonly ModelEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** Providers finish so where the wire has ended without a reason: it has broken off. */
const isUntold = (reason: Json | undefined): boolean =>
  reason === "unknown" ||
  (isJsonObject(reason) &&
    (reason["unified"] === "interrupted" ||
      (reason["unified"] === "other" && reason["raw"] === undefined)));

/** Plain counts in V2; since V3 they are told apart. */
function toUsage({ inputTokens: input, outputTokens: output, ...usage }: JsonObject): Usage {
  const [inner, outer] = [isJsonObject(input) ? input : {}, isJsonObject(output) ? output : {}];
  return toUsageOf({
    inputTokens: countOf(inner["total"] ?? input) ?? 0,
    outputTokens: countOf(outer["total"] ?? output) ?? 0,
    cachedInputTokens: countOf(inner["cacheRead"] ?? usage["cachedInputTokens"]),
    cacheWriteInputTokens: countOf(inner["cacheWrite"]),
    reasoningTokens: countOf(outer["reasoning"] ?? usage["reasoningTokens"]),
  });
}
