import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { complaintAbout } from "./gemini-server-checks.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  type ServerAnswer,
  type ServerCall,
  type ServerWire,
  startModelServer,
} from "./model-server.ts";
import { wordsOf } from "./text-pieces.ts";

const geminiWire: ServerWire = {
  basePath: "/v1beta",
  streamType: "text/event-stream",
  complaintAbout,
  refusal: (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
  wantsStream: (_body, path) => path.includes(":streamGenerateContent"),
  toWhole: (answer) => ({
    candidates: [candidate(partsOf(answer), reasonOf(answer))],
    ...tailOf(answer),
  }),
  toChunks: (answer) => [
    ...partsOf(answer)
      .flatMap(inWords)
      .map((part) => ({ candidates: [candidate([part])], modelVersion })),
    { candidates: [candidate([{ text: "" }], reasonOf(answer))], ...tailOf(answer) },
  ],
  frame: (chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`,
  endMark: "",
};

/**
 * Starts a server that speaks Google's `generateContent`. It refuses (400) what a strict Gemini 3
 * refuses: a call without its response, the first call of a step without its thought signature, a
 * schema with keywords outside of Gemini's dialects, JSON beside tools before Gemini 3. Leaving its
 * scope closes it and all its connections.
 */
export const startGeminiServer = (options: ModelServerOptions): Promise<ModelServer> =>
  startModelServer(geminiWire, options);

const modelVersion = "gemini-test-001";

function candidate(parts: readonly JsonObject[], finishReason?: string): JsonObject {
  return {
    content: { parts, role: "model" },
    ...(finishReason === undefined ? {} : { finishReason }),
    index: 0,
  };
}

function partsOf({ reasoning, text, signature, calls = [] }: ServerAnswer): readonly JsonObject[] {
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true, ...signed }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(toFunctionCall),
  ];
}

/** Google gives ids to no calls here: that is what an adapter has to bear. */
function toFunctionCall({ name, arguments: text, signature }: ServerCall): JsonObject {
  const args = parseJson(text);
  return {
    functionCall: { name, args: isJsonObject(args) ? args : {} },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  };
}

/** Texts word by word, unless they are signed. */
function inWords(part: JsonObject): readonly JsonObject[] {
  const { text, thoughtSignature } = part;
  return typeof text === "string" && thoughtSignature === undefined
    ? wordsOf(text).map((word) => ({ ...part, text: word }))
    : [part];
}

const reasonOf = ({ finishReason = "STOP" }: ServerAnswer): string => finishReason;

const tailOf = ({ usage }: ServerAnswer): JsonObject => ({
  usageMetadata: usage ?? { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion,
  responseId: "resp-1",
});
