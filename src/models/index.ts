export { type OfflineModelOptions, offlineModel } from "./offline/offline-model.ts";
export { openAiCompatible } from "./openai-compatible.ts";
export type { OpenAiCompatibleOptions } from "./openai-options.ts";
export type { StructuredOutput } from "./openai-output.ts";
export type { MaxTokensField } from "./openai-request.ts";
