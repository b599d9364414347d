import type { JsonObject } from "../base/json.ts";
import type { ServerAnswer, ServerCall } from "./model-server.ts";
import { halvesOf, wordsOf } from "./text-pieces.ts";

/** An answer as one chat completion. */
export function toCompletion(answer: ServerAnswer, request: JsonObject): JsonObject {
  const { text = null, reasoning, calls = [] } = answer;
  const message = {
    role: "assistant",
    content: text,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toWireCall) }),
  };
  return {
    ...headOf(request, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: reasonOf(answer) }],
    usage: usageOf(answer),
  };
}

/** An answer as the chunks of a stream: texts word by word, arguments in two halves. */
export function toChunks(answer: ServerAnswer, request: JsonObject): readonly JsonObject[] {
  const { text = "", reasoning = "", calls = [] } = answer;
  const head = headOf(request, "chat.completion.chunk");
  const chunk = (delta: JsonObject, reason: string | null = null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const callChunks = calls.flatMap((call, index) => {
    const { function: called, ...head } = toWireCall(call);
    const tail = (part: string): JsonObject =>
      chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    return [
      chunk({ tool_calls: [{ index, ...head, function: { ...called, arguments: "" } }] }),
      ...halvesOf(call.arguments).map(tail),
    ];
  });
  const { include_usage: withUsage } = (request["stream_options"] ?? {}) as JsonObject; // as OpenAI documents it
  return [
    chunk({ role: "assistant", content: "" }),
    ...wordsOf(reasoning).map((piece) => chunk({ reasoning_content: piece })),
    ...wordsOf(text).map((piece) => chunk({ content: piece })),
    ...callChunks,
    chunk({}, reasonOf(answer)),
    ...(withUsage ? [{ ...head, choices: [], usage: usageOf(answer) }] : []),
  ];
}

const headOf = ({ model }: JsonObject, object: string): JsonObject => ({
  id: "chatcmpl-1",
  object,
  created: 1,
  model,
});

const toWireCall = ({ id, name, arguments: text, signature }: ServerCall) => ({
  id,
  type: "function",
  function: { name, arguments: text },
  ...(signature === undefined
    ? {}
    : { extra_content: { google: { thought_signature: signature } } }),
});

const reasonOf = ({ finishReason, calls = [] }: ServerAnswer): string =>
  finishReason ?? (calls.length > 0 ? "tool_calls" : "stop");

const usageOf = ({ usage }: ServerAnswer): JsonObject =>
  usage ?? { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
