import { expect, test } from "vitest";
import { collect, outcomeOf } from "../../../test/model-events.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { MediaPart } from "../../message/content.ts";
import type { Message } from "../../message/message.ts";
import type { ModelRequest } from "../../model/model.ts";
import { type AiSdkModel, type AiSdkOptions, fromAiSdk } from "./ai-sdk.ts";

type Generation = AiSdkModel["specificationVersion"];

/** A model that streams these parts, and remembers its call options. */
function sdkModel(
  parts: readonly unknown[],
  generation: Generation = "v4",
  provider = "acme.chat",
) {
  const calls: JsonObject[] = [];
  const state = { cancelled: false };
  const model: AiSdkModel = {
    specificationVersion: generation,
    provider,
    modelId: "m",
    doStream: async ({ abortSignal: _signal, ...options }: JsonObject) => {
      calls.push(options);
      const stream = new ReadableStream<unknown>({
        start(controller) {
          for (const part of parts) {
            controller.enqueue(part);
          }
          if (parts.at(-1) !== "open") {
            controller.close();
          }
        },
        cancel() {
          state.cancelled = true;
        },
      });
      return { stream };
    },
  };
  return { model, calls, state };
}

const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} };

const request: ModelRequest = {
  messages: [{ role: "user", content: [{ kind: "text", text: "Hi" }] }],
  tools: [],
};

const ask = async (
  model: AiSdkModel,
  asked: Partial<ModelRequest> = {},
  options: AiSdkOptions = {},
) => {
  const { signal } = new AbortController();
  const stream = fromAiSdk(model, options).stream({ ...request, ...asked }, { signal });
  return outcomeOf(await collect(stream));
};

test("a model of an unknown generation is refused", () => {
  const { model } = sdkModel([]);
  // As a package of the future would have it.
  const future = { ...model, specificationVersion: "v9" as Generation };
  expect(() => fromAiSdk(future)).toThrow(ConfigurationError);
  expect(() => fromAiSdk(future)).toThrow(/"m" is of the generation "v9"/);
});

test("parts become events; what is not known, or the provider's own, is passed over", async () => {
  const { model } = sdkModel([
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", modelId: "m-2026" },
    { type: "ping" },
    { type: "hologram", id: "0" },
    null,
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "hm" },
    { type: "reasoning-end", id: "0", providerMetadata: { acme: { signature: "s1" } } },
    { type: "text-start", id: "0", providerMetadata: { acme: { itemId: "i" } } },
    { type: "text-delta", id: "0", delta: "Hel" },
    { type: "text-delta", id: "0", delta: "lo" },
    { type: "text-end", id: "0" },
    { type: "text-delta", id: "0", delta: " again" },
    { type: "tool-input-start", id: "a", toolName: "read" },
    { type: "tool-input-delta", id: "a", delta: '{"p":' },
    { type: "tool-input-delta", id: "a", delta: "1}" },
    { type: "tool-input-end", id: "a" },
    {
      type: "tool-call",
      toolCallId: "a",
      toolName: "read",
      input: '{"p":1}',
      providerMetadata: { acme: { signature: "s2" } },
    },
    { type: "tool-call", toolCallId: "b", toolName: "read", input: '{"p":2}' },
    { type: "tool-call", toolCallId: "b", toolName: "read", input: '{"p":3}' },
    { type: "tool-input-start", id: "x", toolName: "search", providerExecuted: true },
    { type: "tool-input-delta", id: "x", delta: "{}" },
    { type: "tool-call", toolCallId: "x", toolName: "search", input: "{}" },
    { type: "tool-call", toolCallId: "y", toolName: "s", input: "{}", providerExecuted: true },
    { type: "tool-result", toolCallId: "x", toolName: "search", result: 1 },
    { type: "finish", finishReason: { unified: "tool-calls", raw: "x" }, usage: {} },
  ]);
  const outcome = await ask(model);
  expect(outcome).toMatchObject({
    text: "Hello again",
    reasoning: "hm",
    calls: [
      ["read", '{"p":1}'],
      ["read", '{"p":2}'],
      ["read", '{"p":3}'],
    ],
    finish: { reason: "tool-calls", responseModel: "m-2026" },
  });
  const key = "ai-sdk/acme.chat";
  expect(outcome.parts.map(({ providerData }) => providerData?.[key])).toEqual([
    { acme: { signature: "s1" } },
    { acme: { itemId: "i" } },
    undefined,
    { acme: { signature: "s2" } },
    undefined,
    undefined,
  ]);
});

test.each<readonly [finishReason: unknown, usage: JsonObject]>([
  ["length", { inputTokens: 5, outputTokens: 7, cachedInputTokens: 3, reasoningTokens: 2 }],
  [
    { unified: "length", raw: "x" },
    { inputTokens: { total: 5, cacheRead: 3 }, outputTokens: { total: 7, reasoning: 2 } },
  ],
])("the finish reason %j and the usage %j are understood", async (finishReason, usage) => {
  const { model } = sdkModel([{ type: "finish", finishReason, usage }], "v2");
  expect((await ask(model)).finish).toEqual({
    kind: "finish",
    reason: "length",
    usage: { inputTokens: 5, outputTokens: 7, cachedInputTokens: 3, reasoningTokens: 2 },
  });
});

test.each([
  ["no end", []],
  ["an unknown reason", [{ type: "finish", finishReason: "unknown", usage: {} }]],
  ["an interruption", [{ type: "finish", finishReason: { unified: "interrupted" }, usage: {} }]],
  ["no reason of the provider", [{ type: "finish", finishReason: { unified: "other" } }]],
])("a stream with %s has broken off", async (_name, parts) => {
  await expect(ask(sdkModel(parts).model)).rejects.toMatchObject({
    code: "model-invalid-response",
    retryable: true,
  });
});

/** As AI SDK's errors are, which are told by their fields. */
const named = (name: string, message: string, fields: object = {}): Error =>
  Object.assign(new Error(message), { name, ...fields });

test.each<readonly [error: unknown, expected: object]>([
  [
    named("AI_APICallError", "boom", {
      statusCode: 429,
      responseHeaders: { "retry-after": "3" },
      responseBody: '{"error":{"message":"slow down sk-12345678"}}',
    }),
    {
      code: "model-rate-limited",
      retryAfterMs: 3_000,
      message: expect.stringMatching(/slow down \[redacted\]/),
    },
  ],
  [
    named("AI_APICallError", "failed", { cause: new TypeError("fetch failed") }),
    { code: "model-unreachable", retryable: true },
  ],
  [named("AI_TypeValidationError", "bad"), { code: "model-invalid-response", retryable: false }],
  [named("Error", "odd"), { code: "model-unavailable", retryable: false }],
  [
    { type: "overloaded_error", message: "busy" },
    { code: "model-unavailable", retryable: true },
  ],
  ["plain", { code: "model-unavailable", message: expect.stringContaining("plain") }],
])("the error %j is told as %j", async (error, expected) => {
  await expect(ask(sdkModel([{ type: "error", error }]).model)).rejects.toMatchObject(expected);
});

const image: MediaPart = {
  kind: "image",
  mediaType: "image/png",
  source: { kind: "data", base64: "AAAA" },
};
const link: MediaPart = {
  kind: "file",
  mediaType: "application/pdf",
  name: "a.pdf",
  source: { kind: "url", url: "https://x.example/a.pdf" },
};
const url = new URL("https://x.example/a.pdf");

test.each([
  ["v2", "AAAA", url, { type: "media", mediaType: "image/png", data: "AAAA" }],
  ["v3", "AAAA", url, { type: "image-data", mediaType: "image/png", data: "AAAA" }],
  [
    "v4",
    { type: "data", data: "AAAA" },
    { type: "url", url },
    { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
  ],
] as const)("in %s media are written as that generation has them", async (...row) => {
  const [generation, data, linked, item] = row;
  const { model, calls } = sdkModel([finish], generation, "acme.anthropic");
  const metadata = { acme: { signature: "s" } };
  const providerData = { "ai-sdk/acme.anthropic": metadata, "another/host": { x: 1 } };
  const messages: readonly Message[] = [
    { role: "system", text: "Be brief." },
    { role: "user", content: [image, link] },
    {
      role: "assistant",
      content: [
        { kind: "reasoning", text: "hm", providerData },
        { kind: "reasoning", text: "of another", providerData: { "another/host": {} } },
        { kind: "tool-call", id: "a.1", name: "read", arguments: { p: 1 }, providerData },
      ],
    },
    {
      role: "tool",
      content: [{ kind: "tool-result", id: "a.1", name: "read", isError: true, content: [image] }],
    },
  ];
  await ask(model, { messages });
  const providerOptions = metadata;
  expect(calls[0]?.["prompt"]).toEqual([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "file", mediaType: "image/png", data },
        { type: "file", mediaType: "application/pdf", data: linked, filename: "a.pdf" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions },
        {
          type: "tool-call",
          toolCallId: "a_1",
          toolName: "read",
          input: { p: 1 },
          providerOptions,
        },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a_1",
          toolName: "read",
          output: { type: "content", value: [{ type: "text", text: "Error:" }, item] },
        },
      ],
    },
  ]);
});

test("media of results follow them where the provider would write them as text", async () => {
  const { model, calls } = sdkModel([finish], "v3");
  const result = { kind: "tool-result", id: "a", name: "read", isError: false } as const;
  await ask(model, { messages: [{ role: "tool", content: [{ ...result, content: [image] }] }] });
  expect(calls[0]?.["prompt"]).toMatchObject([
    {
      role: "tool",
      content: [{ output: { type: "text", value: expect.stringContaining("next user message") } }],
    },
    { role: "user", content: [{ type: "text" }, { type: "file", data: "AAAA" }] },
  ]);
});

const schema = {
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
};
const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }];

test("options of a request are passed on, with the effort only where the generation has it", async () => {
  const asked = { temperature: 0, maxOutputTokens: 9, reasoningEffort: "low" } as const;
  const options = { providerOptions: { acme: { x: 1 } } };
  const { model, calls } = sdkModel([finish]);
  await ask(model, { ...asked, tools, toolChoice: "required" }, options);
  expect(calls[0]).toMatchObject({
    temperature: 0,
    maxOutputTokens: 9,
    reasoning: "low",
    providerOptions: { acme: { x: 1 } },
    tools: [
      {
        type: "function",
        name: "read",
        description: "Reads.",
        inputSchema: { type: "object", properties: {} },
      },
    ],
    toolChoice: { type: "required" },
  });
  const older = sdkModel([finish], "v3");
  await ask(older.model, asked);
  expect(older.calls[0]).not.toHaveProperty("reasoning");
});

test("JSON is asked for by a closed schema and in words; beside tools in words alone", async () => {
  const { model, calls } = sdkModel([finish]);
  await ask(model, { output: { schema } });
  await ask(model, { output: { schema }, tools });
  await ask(model, { output: { schema: { type: "object" } } });
  expect(calls[0]?.["responseFormat"]).toEqual({
    type: "json",
    name: "output",
    schema: { ...schema, additionalProperties: false },
  });
  expect(calls[1]).not.toHaveProperty("responseFormat");
  expect(calls[2]).not.toHaveProperty("responseFormat");
  for (const { prompt } of calls) {
    expect(JSON.stringify(prompt)).toContain("JSON Schema");
  }
});

test("aborting rejects with the reason and cancels, also where the model ignores its signal", async () => {
  const { model, state } = sdkModel([{ type: "text-start", id: "0" }, "open"]);
  const controller = new AbortController();
  const stream = fromAiSdk(model).stream(request, controller)[Symbol.asyncIterator]();
  await stream.next();
  const next = stream.next();
  controller.abort("enough");
  await expect(next).rejects.toBe("enough");
  expect(state.cancelled).toBe(true);
  const left = sdkModel([{ type: "text-start", id: "0" }, "open"]);
  for await (const _event of fromAiSdk(left.model).stream(request, new AbortController())) {
    break;
  }
  expect(left.state.cancelled).toBe(true);
});
