import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  type ServerAnswer,
  type ServerCall,
  type ServerWire,
  startModelServer,
} from "./model-server.ts";
import { complaintAbout } from "./ollama-server-checks.ts";
import { wordsOf } from "./text-pieces.ts";

const ollamaWire: ServerWire = {
  basePath: "",
  streamType: "application/x-ndjson",
  complaintAbout,
  refusal: (message) => ({ error: message }),
  wantsStream: ({ stream }) => stream !== false,
  toWhole: (answer, body) => lineOf(body, messageOf(answer), endOf(answer)),
  toChunks: (answer, body) => {
    const { text = "", reasoning = "", calls = [] } = answer;
    return [
      ...wordsOf(reasoning).map((thinking) => lineOf(body, { ...saying(""), thinking })),
      ...wordsOf(text).map((word) => lineOf(body, saying(word))),
      ...calls.map((call) => lineOf(body, { ...saying(""), tool_calls: [toToolCall(call)] })),
      lineOf(body, saying(""), endOf(answer)),
    ];
  },
  frame: (chunk) => `${JSON.stringify(chunk)}\n`,
  endMark: "",
};

/**
 * Starts a server that speaks Ollama's `/api/chat`. It refuses (400) what no model could use: a call
 * without its result or with arguments that are no object, a tool whose schema is none, pictures that
 * are no base64, base64 as text. Leaving its scope closes it and all its connections.
 */
export const startOllamaServer = (options: ModelServerOptions): Promise<ModelServer> =>
  startModelServer(ollamaWire, options);

const lineOf = ({ model }: JsonObject, message: JsonObject, end?: JsonObject): JsonObject => ({
  model,
  created_at: "2026-01-01T00:00:00.000000Z",
  message,
  done: end !== undefined,
  ...end,
});

const saying = (content: string): JsonObject => ({ role: "assistant", content });

function messageOf({ text = "", reasoning, calls = [] }: ServerAnswer): JsonObject {
  return {
    ...saying(text),
    ...(reasoning === undefined ? {} : { thinking: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toToolCall) }),
  };
}

/** Ollama knows no ids of calls, and its arguments are an object. */
function toToolCall({ name, arguments: text }: ServerCall): Json {
  const args = parseJson(text);
  return { function: { name, arguments: isJsonObject(args) ? args : {} } };
}

const endOf = ({ finishReason = "stop", usage }: ServerAnswer): JsonObject => ({
  done_reason: finishReason,
  total_duration: 1,
  load_duration: 1,
  ...(usage ?? { prompt_eval_count: 1, eval_count: 1 }),
  prompt_eval_duration: 1,
  eval_duration: 1,
});
