import type { Json, JsonObject } from "../../src/base/json.ts";
import { anthropic } from "../../src/models/anthropic/anthropic.ts";
import { startAnthropicServer } from "../../src/testing/anthropic-server.ts";
import { at, fieldOf, objectsIn, type Provider } from "./provider.ts";

const blocksIn = ({ messages }: JsonObject): readonly JsonObject[] =>
  objectsIn(messages).flatMap(({ content }) => objectsIn(content));

const resultsIn = (body: JsonObject): readonly JsonObject[] =>
  blocksIn(body).filter(({ type }) => type === "tool_result");

/** A text may stand alone, or in blocks. */
const textsIn = (content: Json | undefined): readonly Json[] =>
  typeof content === "string" ? [content] : fieldOf(objectsIn(content), "text");

const delta = (text: string): JsonObject => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text },
});

/** Shapes: `resources/messages/messages.d.ts` of `@anthropic-ai/sdk` 1.14.0. */
export const anthropicProvider: Provider = {
  name: "Anthropic",
  start: startAnthropicServer,
  make: (baseUrl, options) => anthropic({ model: "m", id: "test:m", baseUrl, ...options }),
  hello: [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    delta("Hello"),
  ],
  rest: [
    delta("!"),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ],
  failure: { type: "error", error: { type: "overloaded_error", message: "boom" } },
  errorBody: (message) => ({ type: "error", error: { type: "some_error", message } }),
  words: { length: "max_tokens", filtered: "refusal" },
  usage: [
    {
      input_tokens: 5,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 1,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 2 },
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
    system: ({ system }) => textsIn(system).join("\n\n"),
    tools: ({ tools }) => objectsIn(tools).map(({ name }) => `${name}`),
    results: (body) => resultsIn(body).map(({ content }) => textsIn(content).join("\n")),
    pictures: (body) =>
      [...blocksIn(body), ...resultsIn(body).flatMap(({ content }) => objectsIn(content))]
        .filter(({ type }) => type === "image")
        .map((block) => `${at(block, "source")["data"]}`),
    opaque: (body) =>
      fieldOf(
        blocksIn(body).filter(({ type }) => type === "thinking"),
        "signature",
      ),
    schema: (body) => at(body, "output_config", "format")["schema"],
  },
  givenBack: ["sig-r"],
};
