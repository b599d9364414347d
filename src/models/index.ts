export { type AnthropicOptions, anthropic } from "./anthropic.ts";
export { type GeminiOptions, gemini } from "./gemini.ts";
export { type OfflineModelOptions, offlineModel } from "./offline/offline-model.ts";
export { type OllamaOptions, ollama } from "./ollama.ts";
export { openAiCompatible } from "./openai-compatible.ts";
export type { OpenAiCompatibleOptions } from "./openai-options.ts";
export type { StructuredOutput } from "./openai-output.ts";
export type { MaxTokensField } from "./openai-request.ts";
export type { ProviderOptions } from "./provider-options.ts";
