import { anthropicProvider } from "./anthropic.ts";
import { geminiProvider } from "./gemini.ts";
import { ollamaProvider } from "./ollama.ts";
import { openAi } from "./openai.ts";
import type { Provider } from "./provider.ts";

/** Every provider with an adapter of its own. */
export const allProviders: readonly Provider[] = [
  openAi,
  geminiProvider,
  ollamaProvider,
  anthropicProvider,
];
