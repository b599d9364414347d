import { afterEach, expect, test, vi } from "vitest";
import { collect, outcomeOf } from "../../../test/model-events.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { AssistantContent, MediaPart } from "../../message/content.ts";
import type { Message } from "../../message/message.ts";
import type { Model, ModelRequest } from "../../model/model.ts";
import { startGeminiServer } from "../../testing/gemini-server.ts";
import type { ServerReply } from "../../testing/model-server.ts";
import { type GeminiOptions, gemini } from "./gemini.ts";

const user: Message = { role: "user", content: [{ kind: "text", text: "Hi" }] };
const tools = [
  {
    name: "read",
    description: "Reads.",
    inputSchema: { type: "object", properties: { n: { type: "integer", exclusiveMinimum: 0 } } },
  },
];
const request: ModelRequest = { messages: [user], tools: [] };

const ask = async (model: Model, asked: Partial<ModelRequest> = {}) => {
  const { signal } = new AbortController();
  return outcomeOf(await collect(model.stream({ ...request, ...asked }, { signal })));
};

async function answered(reply: ServerReply, asked: Partial<ModelRequest> = {}) {
  await using server = await startGeminiServer({ respond: () => reply });
  return await ask(gemini({ model: "gemini-3-pro", baseUrl: server.baseUrl }), asked);
}

/** What Google is sent. */
async function sent(
  options: Partial<GeminiOptions>,
  asked: Partial<ModelRequest> = {},
): Promise<JsonObject> {
  await using server = await startGeminiServer({ respond: () => "Hello" });
  await ask(gemini({ model: "gemini-3-pro", baseUrl: server.baseUrl, ...options }), asked);
  return server.requests[0]?.body ?? {};
}

const streamOf = (...parts: readonly JsonObject[]): ServerReply => ({
  kind: "stream",
  chunks: [
    ...parts.map((part): Json => ({ candidates: [{ content: { parts: [part] } }] })),
    { candidates: [{ content: { parts: [] }, finishReason: "STOP" }] },
  ],
});

test("a request holds the tools in Gemini's JSON Schema and asks for thoughts", async () => {
  expect(await sent({}, { tools, toolChoice: "required", temperature: 0 })).toEqual({
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    toolConfig: { functionCallingConfig: { mode: "ANY" } },
    generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "read",
            description: "Reads.",
            parametersJsonSchema: {
              type: "object",
              properties: { n: { type: "integer", description: "(exclusiveMinimum: 0)" } },
            },
          },
        ],
      },
    ],
  });
});

test.each([
  ["gemini-3-pro", undefined, { includeThoughts: true }],
  ["gemini-3-pro", "none", { thinkingLevel: "MINIMAL" }],
  ["gemini-3-pro", "high", { includeThoughts: true, thinkingLevel: "HIGH" }],
  ["gemini-2.5-flash", "low", { includeThoughts: true, thinkingBudget: 1_024 }],
  ["gemini-2.5-flash", "none", { thinkingBudget: 0 }],
  ["gemini-2.0-flash", undefined, undefined],
] as const)("%s with the effort %s thinks by %j", async (...row) => {
  const [model, effort, thinkingConfig] = row;
  const body = await sent({ model }, effort === undefined ? {} : { reasoningEffort: effort });
  expect(body["generationConfig"]).toEqual(thinkingConfig === undefined ? {} : { thinkingConfig });
});

const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

test("an answer is held to a schema, beside tools since Gemini 3", async () => {
  const held = { responseMimeType: "application/json", responseSchema: schema };
  const asked = { output: { schema }, tools };
  expect((await sent({}, asked))["generationConfig"]).toMatchObject(held);
  const before = await sent({ model: "gemini-2.5-pro" }, asked);
  expect(before["generationConfig"]).not.toHaveProperty("responseSchema");
  expect(JSON.stringify(before["systemInstruction"])).toContain("JSON Schema");
  const alone = await sent({ model: "gemini-2.5-pro" }, { output: { schema } });
  expect(alone["generationConfig"]).toMatchObject(held);
});

test("signatures come back on the parts that they came with, texts among them", async () => {
  const answer = streamOf(
    { text: "th", thought: true },
    { text: "ought", thought: true },
    { text: "Rea" },
    { text: "ding", thoughtSignature: "s1" },
    { text: "", thoughtSignature: "s2" },
    { thoughtSignature: "s4" },
    { functionCall: { id: "f1", name: "read", args: { n: 1 } }, thoughtSignature: "s3" },
    { functionCall: { id: "f1", name: "read", args: { n: 2 } } },
    { functionCall: { name: "read" } },
  );
  await using server = await startGeminiServer({
    respond: (_request, index) => (index === 0 ? answer : "Done"),
  });
  const model = gemini({ model: "gemini-3-pro", baseUrl: server.baseUrl });
  const { parts, reasoning, text } = await ask(model);
  expect({ reasoning, text }).toEqual({ reasoning: "thought", text: "Reading" });
  const calls = parts.filter(({ kind }) => kind === "tool-call");
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
  const content = parts.map((part) => {
    const kept = part.providerData === undefined ? {} : { providerData: part.providerData };
    const { kind, id, name = "", text: told } = part;
    return kind === "tool-call"
      ? { kind, id, name, arguments: JSON.parse(told), ...kept }
      : { kind, text: told, ...kept };
  }) as AssistantContent[]; // the kinds of parts are those of content
  const results = calls.map(({ id, name = "" }) => ({
    kind: "tool-result" as const,
    id,
    name,
    isError: false,
    content: [],
  }));
  const messages: readonly Message[] = [
    user,
    { role: "assistant", content },
    { role: "tool", content: results },
  ];
  expect((await ask(model, { messages })).text).toBe("Done");
  expect(server.requests[1]?.body["contents"]).toMatchObject([
    { role: "user" },
    {
      role: "model",
      parts: [
        { text: "Rea" },
        { text: "ding", thoughtSignature: "s1" },
        { text: "", thoughtSignature: "s2" },
        { text: "", thoughtSignature: "s4" },
        { functionCall: { id: "f1", args: { n: 1 } }, thoughtSignature: "s3" },
        { functionCall: { id: "f1", args: { n: 2 } } },
        { functionCall: { name: "read", args: {} } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "f1", response: { output: "" } } },
        { functionResponse: { id: "f1" } },
        { functionResponse: { name: "read" } },
      ],
    },
  ]);
});

const resultOf = (...content: readonly MediaPart[]): readonly Message[] => [
  user,
  {
    role: "assistant",
    content: [{ kind: "tool-call", id: "a", name: "read", arguments: {} }],
  },
  {
    role: "tool",
    content: [{ kind: "tool-result", id: "a", name: "read", isError: true, content }],
  },
];

const image = (mediaType: string, base64 = "AAAA"): MediaPart => ({
  kind: "image",
  mediaType,
  source: { kind: "data", base64 },
});

const partsOfLast = ({ contents }: JsonObject): Json | undefined =>
  Array.isArray(contents) ? (contents.at(-1) as JsonObject)["parts"] : undefined;

test("media stand inside of a tool's result where Gemini takes them there, else after it", async () => {
  const inlineData = { mimeType: "image/png", data: "AAAA" };
  const messages = resultOf(image("image/png"), image("image/bmp"));
  expect(partsOfLast(await sent({}, { messages }))).toEqual([
    {
      functionResponse: {
        name: "read",
        response: { error: "[image image/bmp: below]" },
        parts: [{ inlineData }],
      },
    },
    { text: "From the result of read:" },
    { inlineData: { mimeType: "image/bmp", data: "AAAA" } },
  ]);
  const before = await sent(
    { model: "gemini-2.5-pro" },
    { messages: resultOf(image("image/png")) },
  );
  expect(partsOfLast(before)).toMatchObject([
    { functionResponse: { response: { error: "[image image/png: below]" } } },
    { text: "From the result of read:" },
    { inlineData },
  ]);
});

test("a medium behind a URL is named to Gemini, a picture that it cannot read is a note", async () => {
  const source = { kind: "url", url: "https://x.example/a.pdf" } as const;
  const content = [{ kind: "file", mediaType: "application/pdf", source } as const];
  const messages: readonly Message[] = [{ role: "user", content }];
  expect(partsOfLast(await sent({}, { messages }))).toEqual([
    { fileData: { mimeType: "application/pdf", fileUri: source.url } },
  ]);
  const blind = { capabilities: { images: false } };
  const pictures: readonly Message[] = [{ role: "user", content: [image("image/png")] }];
  expect(partsOfLast(await sent(blind, { messages: pictures }))).toEqual([
    { text: "[image image/png: not readable for this model]" },
  ]);
});

test("a prompt that Google blocks is refused, with the reason", async () => {
  const chunks = [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }];
  await expect(answered({ kind: "stream", chunks })).rejects.toMatchObject({
    code: "model-refused",
    retryable: false,
    message: expect.stringContaining("PROHIBITED_CONTENT"),
  });
});

test.each([
  ["SAFETY", "content-filter"],
  ["RECITATION", "content-filter"],
  ["MAX_TOKENS", "length"],
  ["LANGUAGE", "other"],
])("the finish reason %s is told as %s", async (finishReason, reason) => {
  const { finish } = await answered({ kind: "answer", text: "Hel", finishReason });
  expect(finish?.reason).toBe(reason);
});

test("a call that Google cannot read may be tried again; a lost signature may not", async () => {
  const broken = (finishReason: string): ServerReply => ({
    kind: "stream",
    chunks: [{ candidates: [{ finishReason, finishMessage: "Malformed: read(" }] }],
  });
  await expect(answered(broken("MALFORMED_FUNCTION_CALL"))).rejects.toMatchObject({
    code: "model-invalid-response",
    retryable: true,
    message: expect.stringContaining("read("),
  });
  await expect(answered(broken("MISSING_THOUGHT_SIGNATURE"))).rejects.toMatchObject({
    retryable: false,
  });
});

test("a stream as one list of objects, as gateways without SSE write it, is understood", async () => {
  const of = (text: string, more: JsonObject = {}): Json => ({
    candidates: [{ content: { parts: [{ text }] }, ...more }],
  });
  const body = JSON.stringify([of("Hel"), of("lo", { finishReason: "STOP" })]);
  const headers = { "content-type": "application/json" };
  expect((await answered({ kind: "http", headers, body })).text).toBe("Hello");
  const error = JSON.stringify([{ error: { code: 429, message: "slow", status: "X" } }]);
  await expect(answered({ kind: "http", headers, body: error })).rejects.toMatchObject({
    code: "model-rate-limited",
  });
});

test("how long Google asks to wait is told", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }];
  const error = { code: 429, message: "Quota", status: "RESOURCE_EXHAUSTED", details };
  const body = JSON.stringify({ error });
  await expect(answered({ kind: "http", status: 429, body })).rejects.toMatchObject({
    code: "model-rate-limited",
    retryAfterMs: 7_000,
  });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the environment's key goes to Google and to nobody else", async () => {
  vi.stubEnv("GOOGLE_API_KEY", "env-key");
  await using server = await startGeminiServer({ respond: () => "Hello" });
  await ask(gemini({ model: "m", baseUrl: server.baseUrl }));
  expect(server.requests[0]?.headers).not.toHaveProperty("x-goog-api-key");
  expect(gemini({ model: "m" }).id).toBe("gemini:m");
});

test("Google without a key is a ConfigurationError that names the variables", () => {
  vi.stubEnv("GOOGLE_API_KEY", "");
  vi.stubEnv("GEMINI_API_KEY", "");
  expect(() => gemini({ model: "m" })).toThrow(ConfigurationError);
  expect(() => gemini({ model: "m" })).toThrow(/GOOGLE_API_KEY or GEMINI_API_KEY/);
});

test("a tuned model is a path of its own", async () => {
  const model = gemini({ model: "tunedModels/x", apiKey: "k", baseUrl: "http://127.0.0.1:1/v1" });
  await expect(ask(model)).rejects.toMatchObject({ code: "model-unreachable" });
  expect(model.id).toBe("gemini:tunedModels/x");
});
