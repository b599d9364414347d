import { expect, test } from "vitest";
import { add } from "../test/agent-fixture.ts";
import { type Answer, type LoopbackServer, startHttp } from "../test/loopback.ts";
import { createPlanner } from "./agent/planner.ts";
import { silentLogger } from "./base/logger.ts";
import { createDragoman, type DragomanConfig } from "./configure.ts";
import type { ModelFactoryOptions } from "./default-model.ts";
import type { TextAdapter } from "./model/text-adapter.ts";
import { startAnthropicServer } from "./testing/anthropic-server.ts";
import { startGeminiServer } from "./testing/gemini-server.ts";
import { manualClock } from "./testing/manual-clock.ts";
import { startOllamaServer } from "./testing/ollama-server.ts";
import { scriptedModel } from "./testing/scripted-model.ts";

const agentWith = (config: DragomanConfig, model?: string) =>
  createDragoman({ logger: silentLogger, env: {}, ...config }).defineAgent({
    name: "a",
    mcp: "none",
    ...(model === undefined ? {} : { model }),
  });

/** The notices of a run, and its result. */
async function run(config: DragomanConfig, model?: string) {
  const stream = agentWith(config, model).stream("Hi");
  const notices: string[] = [];
  for await (const event of stream) {
    if (event.kind === "notice") {
      notices.push(event.message);
    }
  }
  return { notices, result: await stream.result };
}

test.each([
  [{ GOOGLE_API_KEY: "key-1", GEMINI_API_KEY: "key-2" }, "key-1", "GOOGLE_API_KEY"],
  [{ GOOGLE_API_KEY: "", GEMINI_API_KEY: "key-2" }, "key-2", "GEMINI_API_KEY"],
])("L-M4: without a choice Gemini is taken, with the key of %j", async (keys, key, name) => {
  await using server = await startGeminiServer({ respond: () => "Hello" });
  const base = server.baseUrl.replace(/\/v1beta$/, "");
  const env = { ...keys, GOOGLE_GEMINI_BASE_URL: base };
  const { notices, result } = await run({ env });
  expect(result).toMatchObject({ status: "completed", text: "Hello" });
  expect(notices).toEqual([expect.stringContaining(name)]);
  expect(server.requests[0]).toMatchObject({
    path: expect.stringMatching(/^\/v1beta\/models\/gemini-3\.5-flash:streamGenerateContent/),
    headers: { "x-goog-api-key": key },
  });
});

test("L-M4: the model of Gemini can be set, and a plan is asked for by responseSchema", async () => {
  const plan = '{"thought":"t","steps":[],"answer":"4"}';
  await using server = await startGeminiServer({ respond: () => plan });
  const base = server.baseUrl.replace(/\/v1beta$/, "");
  const env = { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: base };
  const agent = agentWith({ env }, "gemini:gemini-2.5-pro");
  expect(await createPlanner({ agent }).plan("2+2?")).toMatchObject({ answer: "4" });
  const [request] = server.requests;
  expect(request?.path).toContain("/models/gemini-2.5-pro:");
  expect(request?.body["generationConfig"]).toMatchObject({
    responseMimeType: "application/json",
    responseSchema: { type: "object", properties: { steps: { type: "array" } } },
  });
});

test("L-M10: Gemini is told of tools in its own way, and calls them natively", async () => {
  const calls = [{ id: "1", name: "add", arguments: '{"a":1,"b":2}', signature: "s" }];
  await using server = await startGeminiServer({
    respond: (_request, index) => (index === 0 ? { kind: "answer", calls } : "3"),
  });
  const base = server.baseUrl.replace(/\/v1beta$/, "");
  const env = { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: base };
  const agent = createDragoman({ env }).defineAgent({ name: "a", tools: [add], mcp: "none" });
  expect(await agent.ask("1+2?")).toMatchObject({ status: "completed", text: "3" });
  expect(server.requests[0]?.body["tools"]).toMatchObject([
    { functionDeclarations: [{ name: "add" }] },
  ]);
});

test("an id of Anthropic is spoken to through its own interface", async () => {
  await using server = await startAnthropicServer({ respond: () => "Hello" });
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.baseUrl };
  const { result } = await run({ env }, "anthropic:claude-x");
  expect(result).toMatchObject({ status: "completed", model: "anthropic:claude-x" });
  expect(server.requests[0]?.headers["x-api-key"]).toBe("k");
});

/** An Ollama server with two models, one of which calls no tools. */
async function startOllama(): Promise<{
  readonly server: LoopbackServer;
  readonly paths: readonly string[];
}> {
  const paths: string[] = [];
  const tags = {
    models: [
      { name: "old", modified_at: "2025-01-01T00:00:00Z" },
      { name: "new", modified_at: "2026-01-01T00:00:00Z" },
    ],
  };
  const said = { role: "assistant", content: "Hello" };
  const bodies: Readonly<Record<string, unknown>> = {
    "/api/tags": tags,
    "/api/show": { capabilities: ["completion", "vision"] },
    "/api/chat": { model: "new", message: said, done: true, done_reason: "stop" },
  };
  const answer: Answer = (incoming, response) => {
    paths.push(incoming.url ?? "");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(bodies[incoming.url ?? ""]));
  };
  return { server: await startHttp(answer), paths };
}

test("L-M5: without a key the newest model of the Ollama server at OLLAMA_HOST is taken", async () => {
  const { server, paths } = await startOllama();
  await using _closed = server;
  const clock = manualClock();
  const dragoman = createDragoman({
    logger: silentLogger,
    env: { OLLAMA_HOST: `127.0.0.1:${server.port}` },
    clock,
  });
  const agent = dragoman.defineAgent({ name: "a", mcp: "none" });
  const result = await agent.ask("Hi");
  expect(result).toMatchObject({ status: "completed", model: "ollama:new", text: "Hello" });
  await agent.ask("Hi");
  const probes = ["/api/tags", "/api/show"];
  expect(paths, "what is there is asked once").toEqual([...probes, "/api/chat", "/api/chat"]);
});

test("L-M5: a plan is asked of Ollama by the format of the answer", async () => {
  const plan = '{"thought":"t","steps":[],"answer":"4"}';
  await using server = await startOllamaServer({ respond: () => plan });
  const agent = agentWith({ env: { OLLAMA_HOST: server.baseUrl } }, "ollama:qwen3");
  expect(await createPlanner({ agent }).plan("2+2?")).toMatchObject({ answer: "4" });
  const { format } = server.requests.at(-1)?.body ?? {};
  expect(format).toMatchObject({ type: "object", properties: { steps: { type: "array" } } });
});

test("what a model of Ollama can do is asked of its server", async () => {
  const { server } = await startOllama();
  await using _closed = server;
  const { modelOfId } = await import("./provider-ids.ts");
  const { model } = await modelOfId("ollama:new", { OLLAMA_HOST: server.origin });
  expect(model.capabilities).toMatchObject({ tools: false, images: true });
});

test("without a key and without an Ollama server it is the offline model", async () => {
  const { notices, result } = await run({ env: { OLLAMA_HOST: "http://127.0.0.1:1" } });
  expect(result).toMatchObject({ status: "completed", model: "offline" });
  expect(notices).toHaveLength(1);
});

const warningsOf = async (config: DragomanConfig, model?: string): Promise<readonly string[]> => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const dragoman = createDragoman({
    logger,
    env: { OLLAMA_HOST: "http://127.0.0.1:1" },
    ...config,
  });
  const agent = dragoman.defineAgent({
    name: "a",
    mcp: "none",
    ...(model === undefined ? {} : { model }),
  });
  await agent.ask("Hi");
  dragoman.configure({ app: "b" });
  await agent.ask("Hi");
  return warnings;
};

test("that no language model is used is a warning, once, where nobody chose the offline model", async () => {
  expect(await warningsOf({})).toEqual([
    expect.stringMatching(/^No model was chosen, so the offline model is used.*model: "offline"/),
  ]);
});

test("whoever chose the offline model, or has another, is not warned", async () => {
  expect(await warningsOf({ model: "offline" })).toEqual([]);
  expect(await warningsOf({}, "offline")).toEqual([]);
  expect(await warningsOf({ model: scriptedModel(["Hello", "Hello"]) })).toEqual([]);
});

test.each([
  ["nobody:x", /no model "nobody:x".*"gemini:.*configure/],
  ["openai", /no model "openai"/],
  ["gpt-5", /no model "gpt-5". Did you mean "openai:gpt-5"\? Use/],
  ["opnai:gpt-5", /Did you mean "openai:gpt-5"/],
  ["Gemini:gemini-3-pro", /Did you mean "gemini:gemini-3-pro"/],
  ["ofline", /Did you mean "offline"/],
  ["__proto__:x", /no model/],
])("the id %s without more is refused", async (id, message) => {
  const { result } = await run({}, id);
  expect(result).toMatchObject({ status: "failed", error: { code: "unknown-model" } });
  expect(result.status === "failed" && result.error.message).toMatch(message);
});

test.each([
  ["anthropic:x", "ANTHROPIC_API_KEY"],
  ["openai:gpt-5", "OPENAI_API_KEY"],
  ["gemini:g", "GOOGLE_API_KEY or GEMINI_API_KEY"],
])("a missing key of %s has its own code, and the variable is named", async (id, variable) => {
  const { result } = await run({ env: { OPENAI_API_KEY: "" } }, id);
  expect(result).toMatchObject({
    status: "failed",
    error: {
      code: "missing-api-key",
      message: `Model "${id}" needs an API key: set ${variable} in the environment, where it is missing or empty, or use the model "offline", which needs none.`,
    },
  });
});

const said = (text: string): TextAdapter => ({
  available: () => true,
  modelName: text,
  generate: () => text,
});

test("L-M6: one factory makes the model of every agent, and is told id, key and logger", async () => {
  const told: ModelFactoryOptions[] = [];
  const config: DragomanConfig = {
    env: { OPENAI_API_KEY: "key-o", GEMINI_API_KEY: "key-g" },
    models: (options) => {
      told.push(options);
      return said(`made of ${options.model}`);
    },
  };
  expect((await run(config, "openai:gpt-5")).result.text).toBe("made of openai:gpt-5");
  expect((await run(config, "mine")).result.text).toBe("made of mine");
  expect((await run(config)).result.text).toBe("made of undefined");
  expect((await run({ ...config, model: "set" })).result.text).toBe("made of set");
  expect(told).toEqual([
    { model: "openai:gpt-5", apiKey: "key-o", logger: silentLogger },
    { model: "mine", apiKey: undefined, logger: silentLogger },
    { model: undefined, apiKey: "key-g", logger: silentLogger },
    { model: "set", apiKey: undefined, logger: silentLogger },
  ]);
});

test("L-M6: what the factory leaves is chosen as without it", async () => {
  const models = async () => undefined;
  expect((await run({ models }, "offline")).result.model).toBe("offline");
  expect((await run({ models }, "mine")).result).toMatchObject({ status: "failed" });
});

test("L-M7, L-M8: a model or small adapter that is given goes before the factory", async () => {
  const models = () => scriptedModel(["of the factory"]);
  const dragoman = createDragoman({ logger: silentLogger, env: {}, models });
  const agent = dragoman.defineAgent({ name: "a", mcp: "none", model: said("of the agent") });
  expect((await agent.ask("Hi")).text).toBe("of the agent");
  expect((await agent.ask("Hi", { model: said("of the run") })).text).toBe("of the run");
  const plan = '{"thought":"t","steps":[],"answer":"of the planner"}';
  const planned = await createPlanner({ agent, model: said(plan) }).plan("Hi");
  expect(planned.answer).toBe("of the planner");
  const configured = agentWith({ models, model: said("configured") });
  expect((await configured.ask("Hi")).text).toBe("configured");
});
