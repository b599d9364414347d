import { createId } from "../../base/ids.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../../base/json.ts";
import type { ProviderData } from "../../message/content.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import { mergeOpaque } from "../provider/provider-data.ts";

/** Fields of a call that belong to the provider: Google's and LiteLLM's thought signatures. */
export const opaqueCallFields: readonly string[] = ["extra_content", "provider_specific_fields"];

/** A call that grows. */
interface GrowingCall {
  /** The provider's id, or ours where it gave none or gave it twice. */
  readonly id: string;
  hasProviderId: boolean;
  name: string;
  text: string;
  /** What the provider wants back with the call. */
  opaque: JsonObject | undefined;
}

/** One delta of a call, with the empty string for what is absent. */
interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly opaque: JsonObject | undefined;
}

/**
 * Puts streamed tool calls together. Servers disagree on how the pieces of one call are labelled: by
 * `index` alone (OpenAI), by `id` with every index 0 (Ollama, gateways), by neither (Google). A known
 * id wins over the index; a new id starts a call; so does a name, once the arguments before it are
 * complete; what has no label continues the latest call.
 */
export class ToolCallAssembly {
  readonly #provider: string;
  readonly #calls: GrowingCall[] = [];
  readonly #byId = new Map<string, GrowingCall>();
  readonly #byIndex = new Map<number, GrowingCall>();

  /** @param provider the key of the provider data that the calls get. */
  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Whether the model has called any tool. */
  get hasCalls(): boolean {
    return this.#calls.some(({ name }) => name !== "");
  }

  /** Takes one element of `tool_calls` and adds what follows from it to `events`. */
  accept(delta: Json, events: ModelEvent[]): void {
    if (!isJsonObject(delta)) {
      return;
    }
    const piece = toPiece(delta);
    const call = this.#callOf(piece);
    const isStarted = call.name !== "";
    const isRepeated = isStarted && isRepetition(call, piece);
    call.name ||= piece.name;
    call.opaque = mergeOpaque(call.opaque, piece.opaque);
    call.text += isRepeated ? "" : piece.text;
    if (call.name === "") {
      return;
    }
    if (!isStarted) {
      events.push({ kind: "tool-call-start", id: call.id, name: call.name });
    }
    const text = isStarted ? piece.text : call.text;
    if (text !== "" && !isRepeated) {
      events.push({ kind: "tool-call-delta", id: call.id, text });
    }
  }

  /**
   * Closes all calls.
   *
   * @throws ModelError `model-invalid-response` where a call has no name.
   */
  end(events: ModelEvent[]): void {
    for (const { id, name, text, hasProviderId, opaque } of this.#calls) {
      if (name !== "") {
        const providerData: ProviderData | undefined = opaque && { [this.#provider]: opaque };
        events.push({ kind: "tool-call-end", id, ...(providerData && { providerData }) });
      } else if (text !== "" || hasProviderId) {
        throw new ModelError("The model asked for a tool call without saying which tool.", {
          code: "model-invalid-response",
          retryable: true,
        });
      }
    }
  }

  #callOf(piece: CallPiece): GrowingCall {
    const known = piece.id === "" ? undefined : this.#byId.get(piece.id);
    if (known !== undefined) {
      return this.#isAnother(known, piece) ? this.#open(piece) : this.#bind(known, piece);
    }
    const indexed = piece.index === undefined ? undefined : this.#byIndex.get(piece.index);
    if (piece.id !== "") {
      return indexed !== undefined && isLateId(indexed, piece)
        ? this.#bind(indexed, piece)
        : this.#open(piece);
    }
    const isNewIndex = piece.index !== undefined && indexed === undefined;
    const current = indexed ?? this.#calls.at(-1);
    return current === undefined || (piece.name !== "" && (isNewIndex || isNext(current, piece)))
      ? this.#open(piece)
      : this.#bind(current, piece);
  }

  /** Whether a server has given one id to two calls. */
  #isAnother(known: GrowingCall, piece: CallPiece): boolean {
    if (piece.name === "" || piece.text === "" || !isComplete(known.text)) {
      return false;
    }
    const isMoved = piece.index !== undefined && this.#byIndex.get(piece.index) !== known;
    return isMoved || piece.text !== known.text;
  }

  #open(piece: CallPiece): GrowingCall {
    const isFresh = piece.id !== "" && !this.#byId.has(piece.id);
    const call: GrowingCall = {
      id: isFresh ? piece.id : createId("call"),
      hasProviderId: isFresh,
      name: "",
      text: "",
      opaque: undefined,
    };
    this.#calls.push(call);
    return this.#bind(call, piece);
  }

  #bind(call: GrowingCall, { id, index }: CallPiece): GrowingCall {
    if (id !== "" && !this.#byId.has(id)) {
      this.#byId.set(id, call);
      call.hasProviderId = true;
    }
    if (index !== undefined) {
      this.#byIndex.set(index, call);
    }
    return call;
  }
}

/** Whether an id that was not known belongs to the call at its index, which began without one. */
const isLateId = (call: GrowingCall, { name }: CallPiece): boolean =>
  !call.hasProviderId && (name === "" || (name === call.name && call.text === ""));

/** Whether a named piece without an id begins the call after `call`. */
function isNext(call: GrowingCall, { name, text }: CallPiece): boolean {
  if (call.name === "") {
    return false;
  }
  if (call.text === "") {
    return name !== call.name;
  }
  return isComplete(call.text) && !(name === call.name && text === call.text);
}

/** Whether a piece says again what the call has said in full. */
const isRepetition = (call: GrowingCall, { text }: CallPiece): boolean =>
  text !== "" && text === call.text && isComplete(text);

/** Whether arguments are a whole JSON object, so that nothing can follow. */
const isComplete = (text: string): boolean =>
  text.trimEnd().endsWith("}") && isJsonObject(parseJson(text));

function toPiece(delta: JsonObject): CallPiece {
  const { index, id } = delta;
  const called = isJsonObject(delta["function"]) ? delta["function"] : {};
  const { name, arguments: given } = called;
  return {
    index: typeof index === "number" ? index : undefined,
    id: typeof id === "string" ? id : "",
    name: typeof name === "string" ? name : "",
    text: typeof given === "string" ? given : isJsonObject(given) ? JSON.stringify(given) : "",
    opaque: opaqueOf(delta),
  };
}

function opaqueOf(delta: JsonObject): JsonObject | undefined {
  let opaque: Record<string, Json> | undefined;
  for (const field of opaqueCallFields) {
    const value = delta[field];
    if (value !== undefined && value !== null) {
      opaque = { ...opaque, [field]: value };
    }
  }
  return opaque;
}
