import { untilAborted } from "../base/abort.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { AssistantContent, ProviderData, ToolCallPart } from "../message/content.ts";
import type { AssistantMessage } from "../message/message.ts";
import { ModelError } from "../model/model-error.ts";
import type { FinishReason, ModelEvent } from "../model/model-event.ts";
import { noUsage, type Usage } from "../model/usage.ts";
import { parseArguments } from "../tool/tool-arguments.ts";
import type { RunEventBody } from "./run-event.ts";

/** What one model call gave. Plain JSON: the value of its step. */
export type ModelTurn = {
  readonly message: AssistantMessage;
  readonly reason: FinishReason;
  readonly usage: Usage;
  /** The id of the model that gave it. */
  readonly model: string;
};

/** What a turn is assembled with. */
export interface TurnScope {
  /** Makes the ids of texts unique within the run. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** Ids of calls that the history has already; new ones are added. */
  readonly callIds: Set<string>;
  readonly emit: (event: RunEventBody) => void;
  /** Gets each piece of text as it comes, so that a broken turn's text is not lost. */
  readonly onText: (text: string) => void;
  /** The call's operation, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
}

/** A part that grows. */
interface OpenPart {
  readonly kind: "text" | "reasoning" | "tool-call";
  /** The id in events and, for a call, in the history. */
  readonly id: string;
  readonly name: string;
  text: string;
  open: boolean;
  providerData?: ProviderData;
}

/**
 * Reads a model's stream, publishes it and gives the whole message. Whatever the model opened is
 * closed in the events, also when the stream breaks or the run is cancelled in the middle.
 *
 * @throws what the stream throws; the signal's reason on cancellation; ModelError
 *   `model-invalid-response` where the stream ends without a finish event.
 */
export async function readModelTurn(
  stream: AsyncIterable<ModelEvent>,
  scope: TurnScope,
): Promise<Omit<ModelTurn, "model">> {
  const parts = new Parts(scope);
  const consume = async (): Promise<FinishEvent | undefined> => {
    for await (const event of stream) {
      scope.signal.throwIfAborted();
      if (event?.kind === "finish") {
        const { reason, usage = noUsage, responseModel, responseId } = event;
        scope.span?.set({ finishReason: reason, usage, responseModel, responseId });
        return event;
      }
      scope.span?.event(chunk);
      parts.take(event);
    }
    return undefined;
  };
  // A model that ignores its signal cannot hold the run.
  const finish = await untilAborted(consume(), scope.signal).finally(() => parts.close());
  if (finish === undefined) {
    throw new ModelError("The model's stream ended before the model had finished.", {
      code: "model-invalid-response",
      retryable: true,
    });
  }
  return {
    message: { role: "assistant", content: parts.content() },
    reason: finish.reason,
    usage: finish.usage ?? noUsage, // an adapter in plain JavaScript may leave it out
  };
}

const chunk = { kind: "chunk" } as const;

type FinishEvent = Extract<ModelEvent, { kind: "finish" }>;

type PartEvent = Exclude<ModelEvent, FinishEvent>;

/** The parts of one answer as they grow. */
class Parts {
  readonly #scope: TurnScope;
  readonly #all: OpenPart[] = [];
  /** The newest part of each id that the model gave. */
  readonly #byId = new Map<string, OpenPart>();

  constructor(scope: TurnScope) {
    this.#scope = scope;
  }

  /**
   * A start with an id that is there already begins another part; a delta of a text that was never
   * started begins it.
   *
   * @throws ModelError `model-invalid-response` for an event that is none, or for a call without a
   *   name.
   */
  take(event: PartEvent): void {
    const kind = partKinds.get(event?.kind);
    if (kind === undefined) {
      throw invalidEvent(event);
    }
    if (
      event.kind === "text-delta" ||
      event.kind === "reasoning-delta" ||
      event.kind === "tool-call-delta"
    ) {
      this.#grow(
        this.#openOf(event.id, kind) ?? this.#start(event.id, kind, undefined),
        event.text,
      );
    } else if (event.kind.endsWith("-start")) {
      this.#end(this.#byId.get(event.id));
      this.#start(event.id, kind, "name" in event ? event.name : undefined);
    } else {
      const part = this.#openOf(event.id, kind);
      if (part !== undefined && "providerData" in event && event.providerData !== undefined) {
        part.providerData = event.providerData;
      }
      this.#end(part);
    }
  }

  /** Closes whatever is open. */
  close(): void {
    for (const part of this.#all) {
      this.#end(part);
    }
  }

  content(): readonly AssistantContent[] {
    return this.#all.flatMap(toContent);
  }

  #openOf(id: string, kind: OpenPart["kind"]): OpenPart | undefined {
    const part = this.#byId.get(id);
    return part?.kind === kind ? part : undefined;
  }

  #start(given: string, kind: OpenPart["kind"], name: string | undefined): OpenPart {
    if (kind === "tool-call" && (typeof name !== "string" || name === "")) {
      throw invalidEvent({ kind: "tool-call-start", id: given, name });
    }
    const { callIds, prefix, emit } = this.#scope;
    const count = this.#byId.has(given) ? `.${this.#all.length}` : "";
    const id = kind === "tool-call" ? freshCallId(given, callIds) : `${prefix}.${given}${count}`;
    const part: OpenPart = { kind, id, name: name ?? "", text: "", open: true };
    this.#all.push(part);
    this.#byId.set(given, part);
    emit(
      kind === "tool-call"
        ? { kind: "tool-call-start", id, name: part.name }
        : { kind: `${kind}-start`, id },
    );
    return part;
  }

  #grow(part: OpenPart, text: string): void {
    if (text !== "") {
      part.text += text;
      this.#scope.emit({ kind: `${part.kind}-delta`, id: part.id, text });
      if (part.kind === "text") {
        this.#scope.onText(text);
      }
    }
  }

  #end(part: OpenPart | undefined): void {
    if (part?.open === true) {
      part.open = false;
      this.#scope.emit({ kind: `${part.kind}-end`, id: part.id });
    }
  }
}

const partKinds: ReadonlyMap<PartEvent["kind"], OpenPart["kind"]> = new Map(
  (["text", "reasoning", "tool-call"] as const).flatMap((kind) => [
    [`${kind}-start`, kind],
    [`${kind}-delta`, kind],
    [`${kind}-end`, kind],
  ]),
);

function invalidEvent(event: unknown): ModelError {
  return new ModelError(
    `The model's adapter gave an event that is none: ${JSON.stringify(event)?.slice(0, 200)}. See ModelEvent.`,
    { code: "model-invalid-response" },
  );
}

/** Providers repeat ids across turns; the history may not. */
function freshCallId(id: string, taken: Set<string>): string {
  let fresh = id;
  for (let count = 2; taken.has(fresh); count += 1) {
    fresh = `${id}_${count}`;
  }
  taken.add(fresh);
  return fresh;
}

function toContent(part: OpenPart): readonly AssistantContent[] {
  const providerData = part.providerData === undefined ? {} : { providerData: part.providerData };
  if (part.kind === "tool-call") {
    return [{ ...toToolCall(part), ...providerData }];
  }
  const empty = part.text === "" && part.providerData === undefined;
  return empty ? [] : [{ kind: part.kind, text: part.text, ...providerData }];
}

function toToolCall({ id, name, text }: OpenPart): ToolCallPart {
  const parsed = parseArguments(text);
  return parsed.kind === "object"
    ? { kind: "tool-call", id, name, arguments: parsed.value }
    : { kind: "tool-call", id, name, arguments: {}, malformedArguments: parsed.text };
}
