export { startAnthropicServer } from "./anthropic-server.ts";
export { startGeminiServer } from "./gemini-server.ts";
export {
  type HostileCase,
  type HostileCaseInfo,
  type HostileTransport,
  hostileCases,
} from "./hostile-cases.ts";
export { type HostileServer, openHostileServer } from "./hostile-server.ts";
export { type ManualClock, manualClock } from "./manual-clock.ts";
export type {
  ModelServer,
  ModelServerOptions,
  ServerAnswer,
  ServerCall,
  ServerHttpReply,
  ServerReply,
  ServerRequest,
  ServerStream,
} from "./model-server.ts";
export { startOllamaServer } from "./ollama-server.ts";
export { startOpenAiServer } from "./openai-server.ts";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
  scriptedModel,
} from "./scripted-model.ts";
export { type UnreliableStore, unreliableStore } from "./unreliable-store.ts";
