import type { JsonObject } from "../../src/base/json.ts";
import { ollama } from "../../src/models/ollama/ollama.ts";
import { startOllamaServer } from "../../src/testing/ollama-server.ts";
import { fieldOf, messageReaders, objectsIn, type Provider } from "./provider.ts";

const line = (content: string, more: JsonObject = {}): JsonObject => ({
  model: "m",
  created_at: "2026-01-01T00:00:00Z",
  message: { role: "assistant", content },
  done: false,
  ...more,
});

/** Shapes: `dist/index.d.ts` and the stream reader of `ollama` 0.6.4. */
export const ollamaProvider: Provider = {
  name: "Ollama",
  start: startOllamaServer,
  make: (host, options) => ollama({ model: "m", id: "test:m", host, ...options }),
  hello: [line("Hello")],
  rest: [line("!"), line("", { done: true, done_reason: "stop" })],
  failure: { error: "boom" },
  errorBody: (message) => ({ error: message }),
  words: { length: "length" },
  usage: [
    { prompt_eval_count: 10, eval_count: 7 },
    { inputTokens: 10, outputTokens: 7 },
  ],
  read: {
    ...messageReaders,
    pictures: ({ messages }) =>
      fieldOf(objectsIn(messages), "images").flatMap((images) =>
        (Array.isArray(images) ? images : []).map(String),
      ),
    opaque: ({ messages }) => fieldOf(objectsIn(messages), "thinking"),
    schema: ({ format }) => format,
  },
  givenBack: ["hm"],
};
