import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import { type AiSdkModel, fromAiSdk } from "../src/models/ai-sdk/ai-sdk.ts";
import type { ProviderOptions } from "../src/models/provider/provider-options.ts";
import { answerCases } from "../test/providers/answer-cases.ts";
import { anthropicProvider } from "../test/providers/anthropic.ts";
import { abortCases, brokenAnswerCases, statusCases } from "../test/providers/failure-cases.ts";
import { geminiProvider } from "../test/providers/gemini.ts";
import { openAi } from "../test/providers/openai.ts";
import type { Provider } from "../test/providers/provider.ts";
import { contentCases, historyCases, requestCases } from "../test/providers/request-cases.ts";

const keyOf = ({ apiKey }: Partial<ProviderOptions>): string =>
  typeof apiKey === "string" ? apiKey : "sk-none";

/** The model of an AI SDK provider in the place of our own adapter, on the same wire. */
const through = (
  provider: Provider,
  name: string,
  make: (baseUrl: string, apiKey: string) => AiSdkModel,
  givenBack = provider.givenBack,
): Provider => ({
  ...provider,
  isBridge: true,
  name,
  givenBack,
  make: (baseUrl, options = {}) => fromAiSdk(make(baseUrl, keyOf(options)), { id: "test:m" }),
});

/** That generation does not tell of tokens that were written to a cache. */
const [usageOnWire, { cacheWriteInputTokens: _, ...usageTold }] = openAi.usage;

/** One provider of each generation; each is of the type that `fromAiSdk` takes, as it is. */
const providers: readonly Provider[] = [
  through(
    { ...openAi, usage: [usageOnWire, usageTold] },
    "@ai-sdk/openai-compatible (V2)",
    (baseURL, apiKey) =>
      createOpenAICompatible({
        name: "test",
        baseURL,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel("m"),
    [null, null], // this generation of it neither keeps thoughts nor signatures
  ),
  through(anthropicProvider, "@ai-sdk/anthropic (V3)", (baseUrl, apiKey) =>
    createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey }).languageModel("claude-sonnet-4-5"),
  ),
  through(geminiProvider, "@ai-sdk/google (V4)", (baseURL, apiKey) =>
    createGoogleGenerativeAI({ baseURL, apiKey }).languageModel("gemini-3-pro"),
  ),
];

test("each generation is there once", () => {
  const models = [
    createOpenAICompatible({ name: "test", baseURL: "http://127.0.0.1:1" }).chatModel("m"),
    createAnthropic({ apiKey: "k" }).languageModel("m"),
    createGoogleGenerativeAI({ apiKey: "k" }).languageModel("m"),
  ];
  expect(models.map(({ specificationVersion: generation }) => generation)).toEqual([
    "v2",
    "v3",
    "v4",
  ]);
});

describe.each(providers)("through $name", (provider) => {
  answerCases(provider);
  statusCases(provider);
  brokenAnswerCases(provider);
  abortCases(provider);
  historyCases(provider);
  contentCases(provider);
  requestCases(provider);
});
