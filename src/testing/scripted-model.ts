import { untilAborted } from "../base/abort.ts";
import type { JsonObject } from "../base/json.ts";
import type { Model, ModelCapabilities, ModelRequest } from "../model/model.ts";
import type { FinishReason, ModelEvent } from "../model/model-event.ts";
import type { Usage } from "../model/usage.ts";

/** A tool call that a script makes. */
export interface ScriptedCall {
  readonly name: string;
  /** An object, or the very text that the model is to write. Default: no arguments. */
  readonly arguments?: JsonObject | string;
  /** Default: `call_1`, `call_2`, … through the script. */
  readonly id?: string;
}

/** One answer of a scripted model, in full. */
export interface ScriptedAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Thrown after what stands above was streamed. */
  readonly error?: unknown;
  /** Never ends after what stands above was streamed, until the request is aborted. */
  readonly hangs?: boolean;
  /** Default: `tool-calls` where there are calls, else `stop`. */
  readonly reason?: FinishReason;
  /** Default: one token in, one out. */
  readonly usage?: Usage;
}

/** One turn of a script: a text, an answer, or a function that makes one of the request. */
export type ScriptedTurn =
  | string
  | ScriptedAnswer
  | ((request: ModelRequest) => string | ScriptedAnswer);

/** A model that says what it was told to, and remembers what it was asked. */
export interface ScriptedModel extends Model {
  /** Every request, in order. */
  readonly requests: readonly ModelRequest[];
}

/**
 * A model for tests: each call takes the next turn of the script; the last one is repeated. Texts are
 * streamed word by word, arguments whole.
 */
export function scriptedModel(
  turns: readonly [ScriptedTurn, ...ScriptedTurn[]],
  options: { readonly id?: string; readonly capabilities?: Partial<ModelCapabilities> } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  let calls = 0;
  return {
    id: options.id ?? "scripted",
    capabilities: { tools: true, images: true, jsonSchema: true, ...options.capabilities },
    requests,
    async *stream(request, { signal }) {
      // The history is append-only: a copy shows what it was at this call.
      requests.push({ ...request, messages: [...request.messages] });
      const turn = turns[Math.min(requests.length, turns.length) - 1] ?? turns[0];
      const given = typeof turn === "function" ? turn(request) : turn;
      const answer = typeof given === "string" ? { text: given } : given;
      yield* say("reasoning", answer.reasoning);
      yield* say("text", answer.text);
      for (const call of answer.calls ?? []) {
        calls += 1;
        yield* ask(call, call.id ?? `call_${calls}`);
      }
      yield await end(answer, signal);
    },
  };
}

async function end(answer: ScriptedAnswer, signal: AbortSignal): Promise<ModelEvent> {
  if (answer.hangs) {
    await untilAborted(new Promise(() => {}), signal);
  }
  if ("error" in answer) {
    throw answer.error;
  }
  const reason = answer.reason ?? (answer.calls === undefined ? "stop" : "tool-calls");
  return { kind: "finish", reason, usage: answer.usage ?? { inputTokens: 1, outputTokens: 1 } };
}

function* say(kind: "text" | "reasoning", text: string | undefined): Generator<ModelEvent> {
  if (text !== undefined) {
    yield { kind: `${kind}-start`, id: kind };
    for (const piece of text.match(/\s*\S+|\s+/g) ?? []) {
      yield { kind: `${kind}-delta`, id: kind, text: piece };
    }
    yield { kind: `${kind}-end`, id: kind };
  }
}

function* ask(call: ScriptedCall, id: string): Generator<ModelEvent> {
  const given = call.arguments ?? {};
  yield { kind: "tool-call-start", id, name: call.name };
  const text = typeof given === "string" ? given : JSON.stringify(given);
  yield { kind: "tool-call-delta", id, text };
  yield { kind: "tool-call-end", id };
}
