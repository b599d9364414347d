import { afterEach, expect, test, vi } from "vitest";
import { collect, outcomeOf } from "../../../test/model-events.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { AssistantContent, MediaPart } from "../../message/content.ts";
import type { Message } from "../../message/message.ts";
import type { Model, ModelRequest } from "../../model/model.ts";
import { startAnthropicServer } from "../../testing/anthropic-server.ts";
import type { ServerReply } from "../../testing/model-server.ts";
import { type AnthropicOptions, anthropic } from "./anthropic.ts";
import { toAnthropicSchema } from "./json-schema-anthropic.ts";

const user: Message = { role: "user", content: [{ kind: "text", text: "Hi" }] };
const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }];
const request: ModelRequest = { messages: [user], tools: [] };

const ask = async (model: Model, asked: Partial<ModelRequest> = {}) => {
  const { signal } = new AbortController();
  return outcomeOf(await collect(model.stream({ ...request, ...asked }, { signal })));
};

async function answered(reply: ServerReply) {
  await using server = await startAnthropicServer({ respond: () => reply });
  return await ask(anthropic({ model: "claude-x", baseUrl: server.baseUrl }));
}

/** What Anthropic is sent. */
async function sent(
  options: Partial<AnthropicOptions>,
  asked: Partial<ModelRequest> = {},
): Promise<JsonObject> {
  await using server = await startAnthropicServer({ respond: () => "Hello" });
  await ask(anthropic({ model: "claude-x", baseUrl: server.baseUrl, ...options }), asked);
  expect(server.requests[0]?.headers["anthropic-version"]).toBe("2023-06-01");
  return server.requests[0]?.body ?? {};
}

test("a request says no more than it has to", async () => {
  expect(await sent({})).toEqual({
    model: "claude-x",
    max_tokens: 16_384,
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    stream: true,
  });
});

test("beside tools the start of the conversation is cached, unless that is not wanted", async () => {
  const cached = await sent({}, { tools, toolChoice: "required" });
  expect(cached).toMatchObject({
    cache_control: { type: "ephemeral" },
    tool_choice: { type: "any" },
    tools: [{ name: "read", input_schema: { type: "object", properties: {} } }],
  });
  expect(await sent({ cache: false }, { tools })).not.toHaveProperty("cache_control");
});

test.each([
  ["claude-opus-5-5", "low", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
  ["claude-sonnet-4-6", "high", { thinking: { type: "adaptive" } }],
  [
    "claude-sonnet-4-5-20250929",
    "low",
    { thinking: { type: "enabled", budget_tokens: 2_048 }, max_tokens: 102_048 },
  ],
  ["claude-haiku-4-5", "none", { thinking: { type: "disabled" }, max_tokens: 100_000 }],
] as const)("%s with the effort %s is sent %j", async (model, reasoningEffort, expected) => {
  const body = await sent({ model, maxOutputTokens: 100_000 }, { reasoningEffort });
  expect(body).toMatchObject(expected);
});

test("the thinking of the options is sent, but not where a tool must be called", async () => {
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  expect(await sent({ thinking })).toMatchObject({ thinking });
  expect(await sent({ thinking }, { temperature: 0 })).not.toHaveProperty("temperature");
  const forced = await sent({ thinking }, { tools, toolChoice: "required" });
  expect(forced).not.toHaveProperty("thinking");
});

const schema = {
  type: "object",
  properties: { n: { type: "integer", minimum: 1 } },
  required: ["n"],
};

test("an answer is held to a closed schema; older models are told of it in words", async () => {
  expect(await sent({}, { output: { schema } })).toMatchObject({
    output_config: {
      format: {
        type: "json_schema",
        schema: {
          ...schema,
          properties: { n: { type: "integer", description: "(minimum: 1)" } },
          additionalProperties: false,
        },
      },
    },
  });
  const old = await sent({ model: "claude-sonnet-4-20250514" }, { output: { schema } });
  expect(old).not.toHaveProperty("output_config");
  expect(old["system"]).toContain(JSON.stringify(schema));
});

test("properties whose names Anthropic refuses are told of in the description", () => {
  const given = { type: "object", properties: { a: {}, "b c": { type: "string" } } };
  expect(toAnthropicSchema({ ...given, required: ["a", "b c"] })).toEqual({
    type: "object",
    description: 'Further properties: {"b c":{"type":"string"}}',
    properties: { a: {} },
    required: ["a"],
  });
});

test("thinking blocks come back with their signatures, hidden ones as they came", async () => {
  const chunk = (type: string, more: JsonObject = {}): Json => ({ type, ...more });
  const thinking = { type: "thinking", thinking: "", signature: "" };
  const chunks = [
    chunk("message_start", { message: { model: "claude-x" } }),
    chunk("content_block_start", { index: 0, content_block: thinking }),
    chunk("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: "hm" } }),
    chunk("content_block_delta", { index: 0, delta: { type: "signature_delta", signature: "s" } }),
    chunk("content_block_stop", { index: 0 }),
    chunk("content_block_start", {
      index: 1,
      content_block: { type: "redacted_thinking", data: "secret" },
    }),
    chunk("content_block_stop", { index: 1 }),
    chunk("content_block_start", { index: 2, content_block: { ...thinking, signature: "s3" } }),
    chunk("content_block_stop", { index: 2 }),
    chunk("content_block_start", { index: 3, content_block: { type: "server_tool_use", id: "x" } }),
    chunk("content_block_stop", { index: 3 }),
    chunk("content_block_start", {
      index: 4,
      content_block: { type: "tool_use", id: "t1", name: "read", input: { whole: true } },
    }),
    chunk("content_block_stop", { index: 4 }),
    chunk("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } }),
  ];
  await using server = await startAnthropicServer({
    respond: (_request, index) => (index === 0 ? { kind: "stream", chunks } : "Done"),
  });
  const model = anthropic({ model: "claude-x", baseUrl: server.baseUrl });
  const { parts, reasoning, calls } = await ask(model);
  expect({ reasoning, calls }).toEqual({ reasoning: "hm", calls: [["read", '{"whole":true}']] });
  const content = parts.map(({ kind, id, name, text, providerData }) =>
    kind === "tool-call"
      ? { kind, id, name, arguments: JSON.parse(text) }
      : { kind, text, providerData },
  ) as AssistantContent[]; // the kinds of parts are those of content
  const result = { kind: "tool-result", id: "t1", name: "read", isError: true } as const;
  const picture: MediaPart = {
    kind: "image",
    mediaType: "image/png",
    source: { kind: "data", base64: "AAAA" },
  };
  const messages: readonly Message[] = [
    user,
    { role: "assistant", content },
    { role: "tool", content: [{ ...result, content: [picture] }] },
  ];
  expect((await ask(model, { messages })).text).toBe("Done");
  expect(server.requests[1]?.body["messages"]).toMatchObject([
    { role: "user" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "redacted_thinking", data: "secret" },
        { type: "thinking", thinking: "", signature: "s3" },
        { type: "tool_use", id: "t1", input: { whole: true } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "t1",
          is_error: true,
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          ],
        },
      ],
    },
  ]);
});

test("documents and links are sent as such, other media become a note", async () => {
  const url = "https://x.example/a";
  const file = (kind: MediaPart["kind"], mediaType: string): MediaPart => ({
    kind,
    mediaType,
    source: { kind: "url", url },
  });
  const content = [
    file("file", "application/pdf"),
    file("image", "image/webp"),
    file("image", "image/bmp"),
    file("audio", "audio/wav"),
  ];
  const { messages } = await sent({}, { messages: [{ role: "user", content }] });
  const source = { type: "url", url };
  expect(messages).toEqual([
    {
      role: "user",
      content: [
        { type: "document", source },
        { type: "image", source },
        { type: "text", text: `[image image/bmp at ${url}: not readable for this model]` },
        { type: "text", text: `[audio audio/wav at ${url}: not readable for this model]` },
      ],
    },
  ]);
});

const failing = (type: string): ServerReply => ({
  kind: "stream",
  chunks: [{ type: "error", error: { type, message: "boom" } }],
});

test.each([
  ["overloaded_error", { code: "model-unavailable", retryable: true }],
  ["api_error", { code: "model-unavailable", retryable: true }],
  ["rate_limit_error", { code: "model-rate-limited", retryable: true }],
  ["authentication_error", { code: "model-unauthorized", retryable: false }],
  ["invalid_request_error", { code: "model-refused", retryable: false }],
  ["not_found_error", { code: "model-not-found", retryable: false }],
  ["request_too_large", { code: "model-refused", retryable: false }],
])("the error %s in a stream is told as %j", async (type, expected) => {
  await expect(answered(failing(type))).rejects.toMatchObject(expected);
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "other"],
])("the reason %s is told as %s", async (finishReason, reason) => {
  const { finish } = await answered({ kind: "answer", text: "Hel", finishReason });
  expect(finish?.reason).toBe(reason);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the environment's key goes to Anthropic and to nobody else", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "env-key");
  await using server = await startAnthropicServer({ respond: () => "Hello" });
  await ask(anthropic({ model: "m", baseUrl: server.baseUrl }));
  expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key");
  expect(anthropic({ model: "m" }).id).toBe("anthropic:m");
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  expect(() => anthropic({ model: "m" })).toThrow(ConfigurationError);
});
