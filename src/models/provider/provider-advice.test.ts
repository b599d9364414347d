import { afterEach, expect, test, vi } from "vitest";
import { startTcp } from "../../../test/loopback.ts";
import { collect } from "../../../test/model-events.ts";
import { startOllamaServer } from "../../testing/ollama-server.ts";
import { anthropic } from "../anthropic/anthropic.ts";
import { gemini } from "../gemini/gemini.ts";
import { ollama } from "../ollama/ollama.ts";
import { openAiCompatible } from "../openai/openai-compatible.ts";
import { adviceFor } from "./provider-advice.ts";
import { toStatusError } from "./provider-error.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const at = (url: string, hasProxy = false) =>
  adviceFor({ base: new URL(url), urlOption: "baseUrl", hasProxy });

test.each([
  ["https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", "aistudio.google.com"],
  ["https://api.openai.com/v1", "OPENAI_API_KEY", "platform.openai.com"],
  ["https://api.anthropic.com", "ANTHROPIC_API_KEY", "console.anthropic.com"],
  ["https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openrouter.ai"],
])("a key that %s refuses is looked for in %s, and made at %s", (url, variable, page) => {
  const advice = { secrets: [], advice: at(url) };
  const { message } = toStatusError(
    { status: 401, headers: {}, body: "no" },
    { what: "model", ...advice },
    0,
  );
  expect(message).toMatch(/^Model refused the credential \(HTTP 401\): no\. Check the API key/);
  expect(message).toContain(variable);
  expect(message).toContain(page);
});

test("a host that is not known may have any key", () => {
  expect(at("https://gateway.example/v1")["model-unauthorized"]).toBe(
    "Check the API key, and that it may use this model.",
  );
});

test.each([
  [gemini, "gemini"],
  [anthropic, "anthropic"],
])("a model that is made by hand without a key says so: %#", (make, prefix) => {
  for (const name of ["GOOGLE_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"]) {
    vi.stubEnv(name, "");
  }
  expect(() => make({ model: "m" })).toThrow(
    expect.objectContaining({
      code: "missing-api-key",
      message: expect.stringMatching(
        new RegExp(`^The model "${prefix}:m" needs an API key: give apiKey, or set \\w+_API_KEY`),
      ),
    }),
  );
});

const request = {
  messages: [{ role: "user", content: [{ kind: "text", text: "Hi" }] }],
  tools: [],
} as const;
const { signal } = new AbortController();

test("a model that Ollama has not pulled can be pulled", async () => {
  const body = JSON.stringify({ error: "model 'qwen9' not found" });
  await using server = await startOllamaServer({
    respond: () => ({ kind: "http", status: 404, headers: {}, body }),
  });
  const asked = collect(
    ollama({ model: "qwen9", host: server.baseUrl }).stream(request, { signal }),
  );
  await expect(asked).rejects.toMatchObject({
    code: "model-not-found",
    message: expect.stringMatching(
      /was not found \(HTTP 404\): model 'qwen9' not found\. Pull it with "ollama pull qwen9"/,
    ),
  });
});

/** An address at which nothing listens. */
async function closedPort(): Promise<string> {
  const server = await startTcp(() => {});
  await server[Symbol.asyncDispose]();
  return server.origin;
}

test("an Ollama that does not run can be started", async () => {
  const host = await closedPort();
  await expect(collect(ollama({ model: "m", host }).stream(request, { signal }))).rejects.toThrow(
    /nothing listens at that address \(ECONNREFUSED\)\. Start Ollama with "ollama serve", or say by OLLAMA_HOST/,
  );
});

test("another server of this machine can be started, too", async () => {
  const model = openAiCompatible({ model: "m", baseUrl: `${await closedPort()}/v1` });
  await expect(collect(model.stream(request, { signal }))).rejects.toThrow(
    /ECONNREFUSED\)\. Start the server that is to be there, and check the baseUrl\.$/,
  );
});

test("a proxy of the environment, which is not gone by, is told where nothing is reached", () => {
  vi.stubEnv("HTTPS_PROXY", "http://ann:hunter2@proxy.example:3128");
  const url = "https://api.openai.com/v1";
  expect(at(url)["model-unreachable"]).toBe(
    'Check the network and the baseUrl. HTTPS_PROXY is set, but only the model\'s own option "proxy" is gone by.',
  );
  expect(at(url, true)["model-unreachable"]).toBe("Check the network and the baseUrl.");
});

test.each([
  [429, "", "Send fewer requests at once, wait, or name models that take over in fallbackModels"],
  [429, '{"error":{"code":"insufficient_quota"}}', "Look at plan and billing of its account"],
  [402, "", "Look at plan and billing"],
  [404, "", "Check the name of the model and the baseUrl."],
])("what HTTP %i with %j means can be acted on", (status, body, advice) => {
  const scope = { what: "model", secrets: [], advice: at("https://gateway.example/v1") };
  expect(toStatusError({ status, headers: {}, body }, scope, 0).message).toContain(advice);
});
