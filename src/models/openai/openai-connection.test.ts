import { expect, test } from "vitest";
import { collect } from "../../../test/model-events.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { Model } from "../../model/model.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import type { ModelServer } from "../../testing/model-server.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import { openAiCompatible } from "./openai-compatible.ts";
import { toConnection } from "./openai-connection.ts";
import type { OpenAiCompatibleOptions } from "./openai-options.ts";

const { signal } = new AbortController();
const tools = [
  { name: "read", description: "Reads.", inputSchema: { $schema: "s", type: "object" } },
];

const ask = (model: Model): Promise<readonly ModelEvent[]> =>
  collect(
    model.stream(
      { messages: [{ role: "system", text: "Hi" }], tools, maxOutputTokens: 5 },
      { signal },
    ),
  );

const modelOf = (
  { baseUrl }: Pick<ModelServer, "baseUrl">,
  options: Partial<OpenAiCompatibleOptions> = {},
): Model => openAiCompatible({ id: "test:m", model: "m", baseUrl, ...options });

const replying = (reply: string): Promise<ModelServer> =>
  startOpenAiServer({ respond: () => reply });

test("the request carries the key, our headers, the caller's headers and the base URL's query", async () => {
  await using server = await replying("Hello");
  const model = modelOf(
    { baseUrl: `${server.baseUrl}/?api-version=1` },
    { apiKey: "sk-1 \n", headers: { "X-Title": "T", Accept: "*/*" } },
  );
  await ask(model);
  expect(server.requests[0]).toMatchObject({
    path: "/v1/chat/completions?api-version=1",
    headers: {
      authorization: "Bearer sk-1",
      "x-title": "T",
      accept: "*/*",
      "content-type": "application/json",
    },
    body: { model: "m", tools: [{ function: { parameters: { type: "object", properties: {} } } }] },
  });
});

test("a key may be had anew for each request, and the caller's own header wins", async () => {
  await using server = await replying("Hello");
  const keys = ["key-1", "key-2", "key-3"];
  const apiKey = async (): Promise<string> => keys.shift() ?? "";
  const model = modelOf(server, { apiKey });
  await ask(model);
  await ask(model);
  await ask(modelOf(server, { apiKey, headers: { Authorization: "Basic x" } }));
  await ask(modelOf(server, { apiKey: "" }));
  expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer key-1",
    "Bearer key-2",
    "Basic x",
    undefined,
  ]);
});

test("options shape the request", async () => {
  await using server = await replying("Hello");
  await ask(modelOf(server));
  await ask(modelOf(server, { maxTokensField: "max_completion_tokens", extraBody: { top_k: 1 } }));
  expect(server.requests.map(({ body }) => body)).toMatchObject([
    { max_tokens: 5 },
    { max_completion_tokens: 5, top_k: 1 },
  ]);
});

test.each<
  readonly [baseUrl: string, options: Partial<OpenAiCompatibleOptions>, parameters: unknown]
>([
  ["https://api.openai.com/v1", {}, { type: "object", properties: {} }],
  ["https://generativelanguage.googleapis.com/v1beta/openai", {}, undefined],
  ["https://x-aiplatform.googleapis.com/v1", {}, undefined],
  [
    "https://generativelanguage.googleapis.com/v1",
    { schemaDialect: "openai" },
    { type: "object", properties: {} },
  ],
  ["https://gateway.example/v1", { schemaDialect: "gemini" }, undefined],
])("at %s with %j the schema of a tool without arguments is %j", (baseUrl, options, parameters) => {
  const { request } = toConnection({ model: "m", baseUrl, ...options });
  expect(JSON.parse(request.renderTools(tools))[0].function.parameters).toEqual(parameters);
});

test.each([
  ["https://api.openai.com/v1", "max_completion_tokens"],
  ["https://x.openai.azure.com/openai/v1", "max_completion_tokens"],
  ["https://openrouter.ai/api/v1", "max_tokens"],
  ["https://openai.com.evil.example/v1", "max_tokens"],
])("at %s the limit of an answer is called %s", (baseUrl, field) => {
  expect(toConnection({ model: "m", baseUrl }).request.maxTokensField).toBe(field);
});

test.each<readonly [name: string, options: Partial<OpenAiCompatibleOptions>]>([
  ["no model", { model: "" }],
  ["no URL", { baseUrl: "api.openai.com" }],
  ["a URL of another kind", { baseUrl: "ftp://api.openai.com" }],
  ["a key with spaces in it", { apiKey: "sk 1" }],
  ["a key in plain http to another machine", { baseUrl: "http://10.0.0.1/v1", apiKey: "sk-1" }],
  [
    "a credential header in plain http to another machine",
    { baseUrl: "http://10.0.0.1/v1", headers: { "X-Api-Key": "k" } },
  ],
  ["a password in plain http to another machine", { baseUrl: "http://u:p@10.0.0.1/v1" }],
])("%s is a ConfigurationError", (_name, options) => {
  const make = (): Model =>
    openAiCompatible({ model: "m", baseUrl: "https://api.openai.com/v1", ...options });
  expect(make).toThrow(ConfigurationError);
  expect(make).not.toThrow(/sk|:p@/);
});

test.each<Partial<OpenAiCompatibleOptions>>([
  { baseUrl: "http://10.0.0.1/v1" },
  { baseUrl: "http://10.0.0.1/v1", apiKey: "k", allowInsecureHttp: true },
  { baseUrl: "http://localhost:11434/v1", apiKey: "k" },
  { baseUrl: "http://[::1]:1/v1", apiKey: "k" },
  { baseUrl: "http://127.0.0.1:1/v1", apiKey: "k" },
])("%j can be used", (options) => {
  expect(openAiCompatible({ model: "m", baseUrl: "", ...options })).toMatchObject({
    id: "openai-compatible:m",
    capabilities: { tools: true, images: true },
  });
});

test("what a model can do may be said", () => {
  const model = openAiCompatible({
    model: "m",
    baseUrl: "http://localhost/v1",
    capabilities: { tools: false },
  });
  expect(model.capabilities).toEqual({
    tools: false,
    images: true,
    audio: true,
    documents: true,
    jsonSchema: true,
  });
});
