import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { complaintAbout } from "./anthropic-server-checks.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  type ServerAnswer,
  type ServerCall,
  type ServerWire,
  startModelServer,
} from "./model-server.ts";
import { halvesOf, wordsOf } from "./text-pieces.ts";

const anthropicWire: ServerWire = {
  basePath: "",
  streamType: "text/event-stream; charset=utf-8",
  complaintAbout,
  refusal: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  wantsStream: ({ stream }) => stream === true,
  toWhole: (answer, body) => ({
    ...headOf(body),
    content: blocksOf(answer).map(({ block, deltas }) => filled(block, deltas)),
    stop_reason: reasonOf(answer),
    usage: usageOf(answer),
  }),
  toChunks: (answer, body) => [
    { type: "message_start", message: { ...headOf(body), usage: usageOf(answer) } },
    { type: "ping" },
    ...blocksOf(answer).flatMap(({ block, deltas }, index) => [
      { type: "content_block_start", index, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: reasonOf(answer), stop_sequence: null },
      usage: usageOf(answer),
    },
  ],
  frame: (chunk) => {
    const event = isJsonObject(chunk) ? `event: ${chunk["type"]}\n` : "";
    return `${event}data: ${JSON.stringify(chunk)}\n\n`;
  },
  endMark: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
};

/**
 * Starts a server that speaks Anthropic's messages API. It refuses (400) what the API refuses: a call
 * without its result in the next message, blank texts, unsigned thoughts, a tool whose schema is none,
 * base64 as text, an answer's schema with an open object. Leaving its scope closes it and all its
 * connections.
 */
export const startAnthropicServer = (options: ModelServerOptions): Promise<ModelServer> =>
  startModelServer(anthropicWire, options);

const headOf = ({ model }: JsonObject): JsonObject => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

/** A block as a stream starts it, and what makes it grow. */
interface Block {
  readonly block: JsonObject;
  readonly deltas: readonly JsonObject[];
}

function blocksOf({ reasoning, signature, text, calls = [] }: ServerAnswer): readonly Block[] {
  return [
    ...(reasoning === undefined ? [] : [thinkingOf(reasoning, signature ?? "sig-1")]),
    ...(text === undefined ? [] : [textOf(text)]),
    ...calls.map(toToolUse),
  ];
}

const thinkingOf = (reasoning: string, signature: string): Block => ({
  block: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    ...wordsOf(reasoning).map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature },
  ],
});

const textOf = (text: string): Block => ({
  block: { type: "text", text: "" },
  deltas: wordsOf(text).map((word) => ({ type: "text_delta", text: word })),
});

const toToolUse = ({ id, name, arguments: text }: ServerCall): Block => ({
  block: { type: "tool_use", id, name, input: {} },
  deltas: ["", ...halvesOf(text)].map((json) => ({ type: "input_json_delta", partial_json: json })),
});

/** A block as a whole message holds it. */
function filled(block: JsonObject, deltas: readonly JsonObject[]): JsonObject {
  const joined = (field: string): string => deltas.map((delta) => delta[field] ?? "").join("");
  switch (block["type"]) {
    case "thinking":
      return { ...block, thinking: joined("thinking"), signature: joined("signature") };
    case "text":
      return { ...block, text: joined("text") };
    default:
      return { ...block, input: parseJson(joined("partial_json")) ?? {} };
  }
}

const reasonOf = ({ finishReason, calls = [] }: ServerAnswer): string =>
  finishReason ?? (calls.length > 0 ? "tool_use" : "end_turn");

const usageOf = ({ usage }: ServerAnswer): JsonObject =>
  usage ?? { input_tokens: 1, output_tokens: 1 };
