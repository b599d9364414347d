import type { JsonObject } from "../../src/base/json.ts";
import { openAiCompatible } from "../../src/models/openai/openai-compatible.ts";
import { startOpenAiServer } from "../../src/testing/openai-server.ts";
import { at, fieldOf, messageReaders, objectsIn, type Provider } from "./provider.ts";

const chunk = (delta: JsonObject, finish_reason: string | null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});

/** Shapes: `resources/chat/completions/completions.d.ts` of `openai` 7.59.0. */
export const openAi: Provider = {
  name: "OpenAI",
  start: startOpenAiServer,
  make: (baseUrl, options) => openAiCompatible({ model: "m", id: "test:m", baseUrl, ...options }),
  hello: [chunk({ role: "assistant", content: "Hello" }, null)],
  rest: [chunk({ content: "!" }, "stop")],
  failure: { error: { message: "boom", code: 503 } },
  errorBody: (message) => ({ error: { message, type: "some_error", code: null } }),
  words: { length: "length", filtered: "content_filter" },
  usage: [
    {
      prompt_tokens: 10,
      completion_tokens: 7,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 2 },
    },
    {
      inputTokens: 10,
      outputTokens: 7,
      cachedInputTokens: 4,
      cacheWriteInputTokens: 1,
      reasoningTokens: 2,
    },
  ],
  read: {
    ...messageReaders,
    pictures: ({ messages }) =>
      objectsIn(messages)
        .flatMap(({ content }) => objectsIn(content))
        .filter(({ type }) => type === "image_url")
        .map((part) => `${at(part, "image_url")["url"]}`.replace(/^data:image\/png;base64,/, "")),
    opaque: ({ messages }) => {
      const assistants = objectsIn(messages).filter(({ role }) => role === "assistant");
      const calls = assistants.flatMap(({ tool_calls: made }) => objectsIn(made));
      return [
        ...fieldOf(assistants, "reasoning_content"),
        ...calls.map((call) => at(call, "extra_content", "google")["thought_signature"] ?? null),
      ];
    },
    schema: (body) => at(body, "response_format", "json_schema")["schema"],
  },
  givenBack: ["hm", "sig-c", null],
};
