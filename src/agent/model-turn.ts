import { untilAborted } from "../base/abort.ts";
import type { AssistantContent, ProviderData, ToolCallPart } from "../message/content.ts";
import type { AssistantMessage } from "../message/message.ts";
import { ModelError } from "../model/model-error.ts";
import type { FinishReason, ModelEvent } from "../model/model-event.ts";
import type { Usage } from "../model/usage.ts";
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
  const parts = new Map<string, OpenPart>();
  const consume = async (): Promise<FinishEvent | undefined> => {
    for await (const event of stream) {
      scope.signal.throwIfAborted();
      if (event.kind === "finish") {
        return event;
      }
      takeEvent(event, parts, scope);
    }
    return undefined;
  };
  // A model that ignores its signal cannot hold the run.
  const finish = await untilAborted(consume(), scope.signal).finally(() => {
    for (const part of parts.values()) {
      closePart(part, scope);
    }
  });
  if (finish === undefined) {
    throw new ModelError("The model's stream ended before the model had finished.", {
      code: "model-invalid-response",
      retryable: true,
    });
  }
  return {
    message: { role: "assistant", content: [...parts.values()].flatMap(toContent) },
    reason: finish.reason,
    usage: finish.usage,
  };
}

type FinishEvent = Extract<ModelEvent, { kind: "finish" }>;

function takeEvent(
  event: Exclude<ModelEvent, FinishEvent>,
  parts: Map<string, OpenPart>,
  scope: TurnScope,
): void {
  switch (event.kind) {
    case "text-start":
    case "reasoning-start":
    case "tool-call-start":
      openPart(event, parts, scope);
      return;
    case "text-delta":
    case "reasoning-delta":
    case "tool-call-delta": {
      const part = parts.get(event.id);
      if (part !== undefined && event.text !== "") {
        part.text += event.text;
        scope.emit({ kind: event.kind, id: part.id, text: event.text });
        if (part.kind === "text") {
          scope.onText(event.text);
        }
      }
      return;
    }
    default: {
      const part = parts.get(event.id);
      if (part !== undefined) {
        if (event.providerData !== undefined) {
          part.providerData = event.providerData;
        }
        closePart(part, scope);
      }
    }
  }
}

function openPart(
  event: Extract<ModelEvent, { kind: "text-start" | "reasoning-start" | "tool-call-start" }>,
  parts: Map<string, OpenPart>,
  scope: TurnScope,
): void {
  if (event.kind === "tool-call-start") {
    const id = freshCallId(event.id, scope.callIds);
    parts.set(event.id, { kind: "tool-call", id, name: event.name, text: "", open: true });
    scope.emit({ kind: "tool-call-start", id, name: event.name });
    return;
  }
  const kind = event.kind === "text-start" ? "text" : "reasoning";
  const id = `${scope.prefix}.${event.id}`;
  parts.set(event.id, { kind, id, name: "", text: "", open: true });
  scope.emit({ kind: event.kind, id });
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

function closePart(part: OpenPart, scope: TurnScope): void {
  if (part.open) {
    part.open = false;
    scope.emit({ kind: `${part.kind}-end`, id: part.id });
  }
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
