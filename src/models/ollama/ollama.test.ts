import { afterEach, expect, test, vi } from "vitest";
import { startTcp } from "../../../test/loopback.ts";
import { collect, outcomeOf } from "../../../test/model-events.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Model, ModelRequest } from "../../model/model.ts";
import { startOllamaServer } from "../../testing/ollama-server.ts";
import { type OllamaOptions, ollama } from "./ollama.ts";
import { toOllamaUrl } from "./ollama-host.ts";

const request: ModelRequest = {
  messages: [{ role: "user", content: [{ kind: "text", text: "Hi" }] }],
  tools: [],
};
const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }];

const ask = async (model: Model, asked: Partial<ModelRequest> = {}) => {
  const { signal } = new AbortController();
  return outcomeOf(await collect(model.stream({ ...request, ...asked }, { signal })));
};

/** What Ollama is sent. */
async function sent(
  options: Partial<OllamaOptions>,
  asked: Partial<ModelRequest> = {},
): Promise<JsonObject> {
  await using server = await startOllamaServer({ respond: () => "Hello" });
  await ask(ollama({ model: "qwen3", host: server.baseUrl, ...options }), asked);
  return server.requests[0]?.body ?? {};
}

test("a request says no more than it has to", async () => {
  expect(await sent({})).toEqual({
    model: "qwen3",
    messages: [{ role: "user", content: "Hi" }],
    stream: true,
  });
});

test("options of the model and of the request reach Ollama", async () => {
  const options = { num_ctx: 8_192, temperature: 1 };
  expect(
    await sent({ options, keepAlive: "5m", think: true }, { temperature: 0, maxOutputTokens: 9 }),
  ).toMatchObject({
    options: { num_ctx: 8_192, temperature: 0, num_predict: 9 },
    keep_alive: "5m",
    think: true,
  });
});

test.each([
  ["qwen3", "none", false],
  ["qwen3", "low", true],
  ["gpt-oss:20b", "low", "low"],
  ["gpt-oss:20b", "none", false],
] as const)("%s thinks with the effort %s: %j", async (model, reasoningEffort, think) => {
  expect((await sent({ model, think: true }, { reasoningEffort }))["think"]).toBe(think);
});

const schema = { $schema: "s", type: "object", properties: { ok: { type: "boolean" } } };

test("L-M5: JSON is asked for by the format, as JSON alone or by the schema", async () => {
  const { $schema: _dialect, ...held } = schema;
  expect(await sent({}, { output: { schema } })).toMatchObject({ format: held });
  expect(await sent({ structuredOutput: "json" }, { output: { schema } })).toMatchObject({
    format: "json",
    messages: [
      { role: "system", content: expect.stringContaining(JSON.stringify(schema)) },
      { role: "user" },
    ],
  });
  expect(ollama({ model: "m", structuredOutput: "json" }).capabilities.jsonSchema).toBe(false);
});

test("beside tools the format would keep the model from calling any: words ask for JSON", async () => {
  const body = await sent({}, { output: { schema }, tools });
  expect(body["format"]).toBeUndefined();
  expect(JSON.stringify(body["messages"])).toContain("JSON Schema");
  const without = await sent({}, { output: { schema }, tools, toolChoice: "none" });
  expect(without["format"]).toBeDefined();
  expect(without["tools"]).toBeUndefined();
});

test("L-M5: the read timeout can be set, and there is no key", async () => {
  await using server = await startTcp(() => {});
  const model = ollama({ model: "m", host: server.origin, readTimeoutMs: 20 });
  await expect(ask(model)).rejects.toMatchObject({ code: "model-timeout" });
  await using answering = await startOllamaServer({ respond: () => "Hello" });
  await ask(ollama({ model: "m", host: answering.baseUrl }));
  expect(answering.requests[0]?.headers).not.toHaveProperty("authorization");
  await ask(ollama({ model: "m", host: answering.baseUrl, apiKey: "k" }));
  expect(answering.requests[1]?.headers["authorization"]).toBe("Bearer k");
});

test.each([
  [undefined, "http://localhost:11434"],
  ["", "http://localhost:11434"],
  ["10.0.0.1", "http://10.0.0.1:11434/"],
  ["10.0.0.1:80", "http://10.0.0.1/"],
  ["box:8080", "http://box:8080/"],
  ["0.0.0.0", "http://localhost:11434/"],
  ["[::]:11434", "http://localhost:11434/"],
  ["https://ollama.example/api-of", "https://ollama.example/api-of"],
  ["http://box/", "http://box/"],
])("L-M5: the host %j is asked at %s", (host, url) => {
  expect(`${toOllamaUrl(host)}`).toBe(url);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("L-M5: the host is OLLAMA_HOST of the environment where none is given", async () => {
  await using server = await startOllamaServer({ respond: () => "Hello" });
  vi.stubEnv("OLLAMA_HOST", server.baseUrl);
  expect((await ask(ollama({ model: "m" }))).text).toBe("Hello");
  await using given = await startOllamaServer({ respond: () => "Given" });
  expect((await ask(ollama({ model: "m", host: given.baseUrl }))).text).toBe("Given");
});

test("a host that is none is refused by the name of its option", () => {
  expect(() => ollama({ model: "m", host: "http://" })).toThrow(/The host of model "ollama:m"/);
});

const line = (message: JsonObject, more: JsonObject = {}): Json => ({
  model: "m",
  message: { role: "assistant", content: "", ...message },
  done: false,
  ...more,
});

const call = (args: Json, more: JsonObject = {}): JsonObject => ({
  tool_calls: [{ ...more, function: { name: "read", arguments: args } }],
});

const end = { done: true, done_reason: "stop" };

test.each<readonly [name: string, chunks: readonly Json[]]>([
  ["in a line of its own", [line(call({ city: "Paris" })), line({}, end)]],
  ["in the last line", [line(call({ city: "Paris" }), end)]],
  ["with arguments as text", [line(call('{"city":"Paris"}')), line({}, end)]],
  ["with an id", [line(call({ city: "Paris" }, { id: "call_1" })), line({}, end)]],
  ["without a line end", [`${JSON.stringify(line(call({ city: "Paris" }), end))}`]],
])("a call %s is read once", async (_name, chunks) => {
  await using server = await startOllamaServer({
    respond: () => ({ kind: "stream", chunks, end: "silent" }),
  });
  expect(await ask(ollama({ model: "m", host: server.baseUrl }))).toMatchObject({
    calls: [["read", '{"city":"Paris"}']],
    finish: { reason: "tool-calls" },
  });
});

test("two calls of one tool in one line are two calls, also under one id", async () => {
  const same = { id: "x", function: { name: "read", arguments: {} } };
  const chunks = [line({ tool_calls: [same, same] }), line({}, end)];
  await using server = await startOllamaServer({ respond: () => ({ kind: "stream", chunks }) });
  const { parts } = await ask(ollama({ model: "m", host: server.baseUrl }));
  expect(new Set(parts.map(({ id }) => id)).size).toBe(2);
});

test("pictures behind a URL become a note, those in a data: URL are sent", async () => {
  const image = (url: string) =>
    ({ kind: "image", mediaType: "image/png", source: { kind: "url", url } }) as const;
  const content = [image("https://x.example/a.png"), image("data:image/png;base64,AAAA")];
  const body = await sent({}, { messages: [{ role: "user", content }] });
  expect(body["messages"]).toEqual([
    {
      role: "user",
      content: "[image image/png at https://x.example/a.png: not readable for this model]",
      images: ["AAAA"],
    },
  ]);
});
