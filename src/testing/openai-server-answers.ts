import type { JsonObject } from "../base/json.ts";

/** What the model of an OpenAI server for tests says. */
export interface OpenAiAnswer {
  readonly kind: "answer";
  readonly text?: string;
  /** Goes into `reasoning_content`. */
  readonly reasoning?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    /** JSON text, or what a model writes in its place. */
    readonly arguments: string;
  }[];
  /** Default: `tool_calls` where there are calls, else `stop`. */
  readonly finishReason?: string;
  /** Default: one token in, one out. */
  readonly usage?: JsonObject;
}

/** An answer as one chat completion. */
export function toCompletion(answer: OpenAiAnswer, request: JsonObject): JsonObject {
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
export function toChunks(answer: OpenAiAnswer, request: JsonObject): readonly JsonObject[] {
  const { text = "", reasoning = "", calls = [] } = answer;
  const head = headOf(request, "chat.completion.chunk");
  const chunk = (delta: JsonObject, reason: string | null = null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const callChunks = calls.flatMap((call, index) => {
    const { id, type, function: called } = toWireCall(call);
    const half = Math.ceil(call.arguments.length / 2);
    const tail = (part: string): JsonObject =>
      chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    return [
      chunk({ tool_calls: [{ index, id, type, function: { ...called, arguments: "" } }] }),
      tail(call.arguments.slice(0, half)),
      tail(call.arguments.slice(half)),
    ];
  });
  const { include_usage: withUsage } = (request["stream_options"] ?? {}) as JsonObject; // as OpenAI documents it
  return [
    chunk({ role: "assistant", content: "" }),
    ...piecesOf(reasoning).map((piece) => chunk({ reasoning_content: piece })),
    ...piecesOf(text).map((piece) => chunk({ content: piece })),
    ...callChunks,
    chunk({}, reasonOf(answer)),
    ...(withUsage ? [{ ...head, choices: [], usage: usageOf(answer) }] : []),
  ];
}

const piecesOf = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? [];

const headOf = ({ model }: JsonObject, object: string): JsonObject => ({
  id: "chatcmpl-1",
  object,
  created: 1,
  model,
});

const toWireCall = ({ id, name, arguments: text }: NonNullable<OpenAiAnswer["calls"]>[number]) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

const reasonOf = ({ finishReason, calls = [] }: OpenAiAnswer): string =>
  finishReason ?? (calls.length > 0 ? "tool_calls" : "stop");

const usageOf = ({ usage }: OpenAiAnswer): JsonObject =>
  usage ?? { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
