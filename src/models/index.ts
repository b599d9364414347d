export {
  type AiSdkModel,
  type AiSdkOptions,
  type AiSdkStream,
  fromAiSdk,
} from "./ai-sdk/ai-sdk.ts";
export { type AnthropicOptions, anthropic } from "./anthropic/anthropic.ts";
export { type GeminiOptions, gemini } from "./gemini/gemini.ts";
export { type OfflineModelOptions, offlineModel } from "./offline/offline-model.ts";
export { type OllamaOptions, ollama } from "./ollama/ollama.ts";
export { openAiCompatible } from "./openai/openai-compatible.ts";
export type { OpenAiCompatibleOptions } from "./openai/openai-options.ts";
export type { StructuredOutput } from "./openai/openai-output.ts";
export type { MaxTokensField } from "./openai/openai-request.ts";
export type { ProviderOptions } from "./provider/provider-options.ts";
export { recoverCalls } from "./recover-calls.ts";
