export { type ManualClock, manualClock } from "./manual-clock.ts";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
  scriptedModel,
} from "./scripted-model.ts";
