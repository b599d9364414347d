import { findJson } from "../base/find-json.ts";
import type { Json } from "../base/json.ts";
import type { ToolCallPart } from "../message/content.ts";
import { type Message, textOf } from "../message/message.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { LoopEnd } from "./loop-guard.ts";
import { type LimitReason, LoopGuard } from "./loop-guard.ts";
import { callModel, type LoopState, totalUsage } from "./model-step.ts";
import { fillReferences, type Plan, planSchema, readPlan } from "./plan.ts";
import { fillTemplate, type Prompts } from "./prompts.ts";
import { RunError } from "./run-error.ts";
import { executeToolCalls } from "./tool-execution.ts";
import {
  answerAtLimit,
  askWithoutTools,
  asStep,
  budgetReached,
  definitionsOf,
  type LoopScope,
} from "./tool-loop.ts";
import { traced } from "./traced.ts";

/** How often a model is asked again for a plan that can be executed. */
const mostQuestions = 3;

/** What the loop of mode `plan` works with. */
export interface PlanScope extends LoopScope {
  readonly prompts: Prompts;
  /** How often the model may plan anew after a step has failed. */
  readonly maxReplans: number;
}

/**
 * The model writes a plan as JSON; its steps are executed in order, one after the other, and may refer
 * to earlier results; then the model answers from the results. A step that fails ends the plan, unless
 * the model may plan anew.
 *
 * @throws RunError `invalid-plan`, or `plan-step-failed` with the step, its tool and its error; and
 *   whatever a model call throws.
 */
export async function runPlan(state: LoopState, scope: PlanScope): Promise<LoopEnd> {
  const guard = new LoopGuard(scope.limits);
  const stepsBefore = state.steps;
  const limitReached = async (): Promise<LimitReason | undefined> =>
    guard.reached(state.steps - stepsBefore, totalUsage(state)) ?? (await budgetReached(scope));
  for (let replan = 0; ; replan += 1) {
    const plan = await makePlan(state, scope, limitReached);
    if (typeof plan === "string") {
      return answerAtLimit(plan, state, scope, { tools: definitionsOf(scope.shownTools) });
    }
    if (plan.steps.length === 0) {
      return answer(plan.answer ?? "", state, scope);
    }
    const failure = await executePlan(plan, state, { ...scope, guard, limitReached });
    if (typeof failure === "string") {
      return answerAtLimit(failure, state, scope, { tools: definitionsOf(scope.shownTools) });
    }
    if (failure === undefined) {
      return state.endedBy === undefined ? concludePlan(state, scope) : "stop";
    }
    if (replan >= scope.maxReplans) {
      state.text = failure.message;
      throw failure;
    }
  }
}

/**
 * Asks the model for a plan that can be executed, some times if need be.
 *
 * @throws RunError `invalid-plan`.
 */
export function makePlan(
  state: LoopState,
  scope: PlanScope,
  limitReached: () => Promise<LimitReason | undefined> = async () => undefined,
): Promise<Plan | LimitReason> {
  const { span: outer, binding } = scope;
  return traced(
    { span: outer, signal: binding.signal },
    () => ({ kind: "plan", agent: binding.agent.name }),
    (span) => askForPlan(state, { ...scope, span }, limitReached),
  );
}

async function askForPlan(
  state: LoopState,
  scope: PlanScope,
  limitReached: () => Promise<LimitReason | undefined>,
): Promise<Plan | LimitReason> {
  const tools = definitionsOf(scope.shownTools).map((tool) => JSON.stringify(tool));
  const told = fillTemplate(scope.prompts.plan, { tools: tools.join("\n") }, "plan prompt");
  const asked: Message[] = [userMessage(told)];
  for (let question = 1; ; question += 1) {
    const limit = await limitReached();
    if (limit !== undefined) {
      return limit;
    }
    const request = { tools: [], output: { schema: planSchema, name: "plan" }, aside: true };
    const messages = [...state.messages, ...asked];
    const { message } = await asStep(state, scope, () =>
      callModel(state, { ...request, messages }, scope),
    );
    const plan = await readPlan(
      await findJson(textOf(message.content)),
      scope.tools,
      scope.binding.signal,
    );
    if (typeof plan !== "string") {
      return plan;
    }
    if (question >= mostQuestions) {
      throw new RunError(`The model gave no plan that can be executed: ${plan}`, {
        code: "invalid-plan",
      });
    }
    const again = fillTemplate(scope.prompts.planAgain, { problem: plan }, "planAgain prompt");
    asked.push(message, userMessage(again));
  }
}

/** A plan's scope with what watches over its limits. */
interface GuardedScope extends PlanScope {
  readonly guard: LoopGuard;
  readonly limitReached: () => Promise<LimitReason | undefined>;
}

/** @returns the failure of the step that ended the plan, or the limit that did, if either did. */
async function executePlan(
  plan: Plan,
  state: LoopState,
  scope: GuardedScope,
): Promise<RunError | LimitReason | undefined> {
  const results = new Map<number, Json>();
  for (const [index, step] of plan.steps.entries()) {
    const limit = index === 0 ? undefined : await scope.limitReached();
    if (limit !== undefined) {
      return limit;
    }
    const number = index + 1;
    const filled = fillReferences(step.arguments, results);
    const call = toCall(step.tool, filled, state);
    const thought = number === 1 && plan.thought !== "" ? [reasoning(plan.thought)] : [];
    state.messages.push({ role: "assistant", content: [...thought, call] });
    const outcome = await executeStep(call, state, scope);
    if (outcome?.kind === "error") {
      return new RunError(
        `Step ${number} of the plan (${step.tool}) failed: ${outcome.error.message}`,
        { code: "plan-step-failed", step: number, tool: step.tool },
      );
    }
    results.set(number, outcome?.kind === "success" ? outcome.value : null);
    if (scope.tools.get(step.tool)?.ends) {
      state.endedBy = step.tool;
      break;
    }
  }
  return undefined;
}

async function executeStep(
  call: ToolCallPart,
  state: LoopState,
  scope: GuardedScope,
): Promise<ToolResult | undefined> {
  const { tainted } = state;
  scope.budget?.spendToolCalls(1);
  const executed = await executeToolCalls([call], { ...scope, cutOff: false, tainted });
  state.messages.push({ role: "tool", content: scope.guard.note([call], executed.results) });
  state.tainted ||= executed.tainted;
  if (executed.interruption !== undefined) {
    throw executed.interruption.reason;
  }
  return executed.outcomes[0];
}

const reasoning = (text: string) => ({ kind: "reasoning", text }) as const;

function toCall(name: string, given: Json, state: LoopState): ToolCallPart {
  const id = `plan_${state.callIds.size + 1}`;
  state.callIds.add(id);
  // fillReferences keeps an object an object.
  return { kind: "tool-call", id, name, arguments: given as ToolCallPart["arguments"] };
}

/** The answer from the results, by the model. */
async function concludePlan(state: LoopState, scope: PlanScope): Promise<LoopEnd> {
  const messages = [...state.messages, userMessage(scope.prompts.planAnswer)];
  const turn = await askWithoutTools(state, scope, {
    tools: definitionsOf(scope.shownTools),
    messages,
  });
  return turn.reason;
}

function answer(text: string, state: LoopState, scope: PlanScope): LoopEnd {
  const id = `${scope.steps.path}${state.steps}.answer`;
  state.messages.push({ role: "assistant", content: [{ kind: "text", text }] });
  state.text = text;
  scope.steps.emit({ kind: "text-start", id });
  scope.steps.emit({ kind: "text-delta", id, text });
  scope.steps.emit({ kind: "text-end", id });
  return "stop";
}

const userMessage = (text: string): Message => ({
  role: "user",
  content: [{ kind: "text", text }],
});
