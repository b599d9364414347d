import type { JsonObject } from "../../src/base/json.ts";
import { gemini } from "../../src/models/gemini/gemini.ts";
import { startGeminiServer } from "../../src/testing/gemini-server.ts";
import { at, fieldOf, objectsIn, type Provider } from "./provider.ts";

const candidate = (text: string, more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
});

const partsIn = ({ contents }: JsonObject): readonly JsonObject[] =>
  objectsIn(contents).flatMap(({ parts }) => objectsIn(parts));

const responsesIn = (body: JsonObject): readonly JsonObject[] =>
  partsIn(body).flatMap(({ functionResponse }) => objectsIn([functionResponse ?? null]));

/** Shapes: `dist/genai.d.ts` of `@google/genai` 3.3.0. */
export const geminiProvider: Provider = {
  name: "Gemini",
  start: startGeminiServer,
  make: (baseUrl, options) => gemini({ model: "m", id: "test:m", baseUrl, ...options }),
  hello: [candidate("Hello")],
  rest: [candidate("!", { finishReason: "STOP" })],
  failure: { error: { code: 503, message: "boom", status: "UNAVAILABLE" } },
  errorBody: (message) => ({ error: { code: 0, message, status: "SOME_ERROR" } }),
  words: { length: "MAX_TOKENS", filtered: "SAFETY" },
  usage: [
    {
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
      totalTokenCount: 17,
    },
    { inputTokens: 10, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 2 },
  ],
  read: {
    system: (body) => fieldOf(objectsIn(at(body, "systemInstruction")["parts"]), "text").join(""),
    tools: ({ tools }) =>
      objectsIn(tools)
        .flatMap(({ functionDeclarations }) => objectsIn(functionDeclarations))
        .map(({ name }) => `${name}`),
    results: (body) =>
      responsesIn(body).map((response) => {
        const { output, error, content } = at(response, "response");
        return `${output ?? error ?? content}`;
      }),
    pictures: (body) =>
      [...partsIn(body), ...responsesIn(body).flatMap(({ parts }) => objectsIn(parts))]
        .map((part) => at(part, "inlineData")["data"])
        .filter((data) => typeof data === "string"),
    opaque: (body) =>
      partsIn(body)
        .filter(({ thought, functionCall }) => thought === true || functionCall !== undefined)
        .map(({ thoughtSignature }) => thoughtSignature ?? null),
    schema: (body) => {
      const { responseSchema, responseJsonSchema } = at(body, "generationConfig");
      return responseSchema ?? responseJsonSchema;
    },
  },
  givenBack: ["sig-r", "sig-c", null],
};
