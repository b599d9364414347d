import type { Model } from "../model/model.ts";
import type { AgentMode } from "./agent-definition.ts";
import type { LoopEnd } from "./loop-guard.ts";
import type { LoopState } from "./model-step.ts";
import type { Answer } from "./participant.ts";
import { type PlanScope, runPlan } from "./plan-loop.ts";
import { toReactModel } from "./react-model.ts";
import { type OutputPolicy, obtainOutput, outputRequest } from "./structured-output.ts";
import { runToolLoop } from "./tool-loop.ts";

/** What a run's loop works with. */
export interface AgentLoopScope extends PlanScope {
  readonly mode: AgentMode;
  readonly output: OutputPolicy | undefined;
  /** Names of the tools by which the agent leaves the answer to somebody else. */
  readonly handovers: ReadonlySet<string>;
}

/** Works in the agent's mode until there is an answer. @throws what its parts throw. */
export async function runAgentLoop(state: LoopState, scope: AgentLoopScope): Promise<Answer> {
  const { output, mode, prompts } = scope;
  const [first, ...rest] = scope.models;
  const callsTools = (model: Model): Model =>
    mode === "react" || (mode === "auto" && !model.capabilities.tools)
      ? toReactModel(model, prompts)
      : model;
  const adapted = { ...scope, models: [callsTools(first), ...rest.map(callsTools)] as const };
  const end = mode === "plan" ? await runPlan(state, adapted) : await runLoop(state, adapted);
  const isLeft = state.endedBy !== undefined && scope.handovers.has(state.endedBy);
  const value = isLeft
    ? undefined
    : output && (await obtainOutput(output, prompts, state, adapted));
  return { end, output: value };
}

function runLoop(state: LoopState, scope: AgentLoopScope): Promise<LoopEnd> {
  const { output, shownTools } = scope;
  // Not every provider takes a schema of the answer beside tools: with tools it is asked for at the end.
  const constrains = output !== undefined && shownTools.size === 0;
  return runToolLoop(state, scope, { tools: [], ...(constrains ? outputRequest(output) : {}) });
}
