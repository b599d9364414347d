export { type ManualClock, manualClock } from "./manual-clock.ts";
export {
  type OpenAiHttpReply,
  type OpenAiReply,
  type OpenAiServer,
  type OpenAiServerOptions,
  type OpenAiServerRequest,
  type OpenAiStream,
  startOpenAiServer,
} from "./openai-server.ts";
export type { OpenAiAnswer } from "./openai-server-answers.ts";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
  scriptedModel,
} from "./scripted-model.ts";
