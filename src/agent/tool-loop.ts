import type { ToolCallPart, ToolResultPart } from "../message/content.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { ApprovalPolicy } from "./approval.ts";
import { fitContext } from "./fit-context.ts";
import { type LimitReason, type LoopEnd, LoopGuard, type RunLimits } from "./loop-guard.ts";
import {
  callModel,
  type LoopState,
  type ModelScope,
  type StepRequest,
  totalUsage,
} from "./model-step.ts";
import type { ModelTurn } from "./model-turn.ts";
import type { PresentScope } from "./present-result.ts";
import type { RunBudget } from "./run-budget.ts";
import { Suspension } from "./suspension.ts";
import type { ToolScope } from "./tool-attempt.ts";
import { executeToolCalls } from "./tool-execution.ts";

/** What a loop works with. */
export interface LoopScope extends ModelScope, ToolScope, PresentScope {
  readonly models: ModelScope["models"];
  /** By the name that the model sees. Changes where servers join later or change, between steps only. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Those of them that the model is told of. */
  readonly shownTools: ReadonlyMap<string, Tool>;
  /** Takes over the tools that have become ready, and what servers say that changed. */
  updateTools(): Promise<void>;
  /** Whether every server of the run is open. */
  hasAllServers(): boolean;
  /** Shows the tools that the calls of a turn have found. */
  learnTools(calls: readonly ToolCallPart[], results: readonly ToolResult[]): Promise<void>;
  readonly approval: ApprovalPolicy | undefined;
  readonly limits: RunLimits;
  /** What is left to whoever asked, if anything is bounded there. */
  readonly outerBudget?: RunBudget | undefined;
  /** How many calls of one turn run at once. */
  readonly concurrency: number;
  /** About how many tokens a request may have; `undefined` for no limit. */
  readonly maxContextTokens: number | undefined;
}

/**
 * Model call, tool calls side by side, their results back, until the model answers without a call.
 * Where a limit is reached the model is asked once more without tools, so that the work done so far
 * becomes an answer; where it is the limit of tokens, the text so far is the answer.
 *
 * @param firstRequest what the request is besides its tools.
 * @throws ModelError; RunError `hook-failed`; the signal's reason; a ConfigurationError of a tool.
 */
export async function runToolLoop(
  state: LoopState,
  scope: LoopScope,
  firstRequest: StepRequest,
): Promise<LoopEnd> {
  const guard = new LoopGuard(scope.limits);
  const offered = new OfferedTools(scope);
  const stepsBefore = state.steps;
  for (;;) {
    const limit =
      guard.reached(state.steps - stepsBefore, totalUsage(state)) ?? (await budgetReached(scope));
    const request = { ...firstRequest, tools: await offered.now() };
    if (limit !== undefined) {
      return answerAtLimit(limit, state, scope, request);
    }
    const end = await takeStep(state, scope, request, guard);
    if (end !== undefined) {
      return end;
    }
  }
}

/** The limit of the run, or of whoever asked, that is reached before another step, if one is. */
export async function budgetReached({
  budget,
  outerBudget,
  steps,
}: LoopScope): Promise<LimitReason | undefined> {
  const own = budget === outerBudget ? undefined : budget?.reachedHere;
  if (own !== undefined || outerBudget === undefined) {
    return own;
  }
  // Others spend of it meanwhile, so a run that is resumed could find another moment.
  return (await steps.run("budget", async () => outerBudget.reached ?? null)) ?? undefined;
}

/** The definitions of a run's tools, made anew only where the tools changed. */
class OfferedTools {
  readonly #scope: LoopScope;
  #tools: readonly Tool[];
  #definitions: readonly ToolDefinition[];

  constructor(scope: LoopScope) {
    this.#scope = scope;
    this.#tools = [...scope.shownTools.values()];
    this.#definitions = definitionsOf(scope.shownTools);
  }

  async now(): Promise<readonly ToolDefinition[]> {
    const { shownTools } = this.#scope;
    await this.#scope.updateTools();
    const tools = [...shownTools.values()];
    const isSame =
      tools.length === this.#tools.length &&
      tools.every((tool, index) => tool === this.#tools[index]);
    if (!isSame) {
      this.#tools = tools;
      this.#definitions = definitionsOf(shownTools);
    }
    return this.#definitions;
  }
}

/** What the model is told of tools. */
export const definitionsOf = (tools: ReadonlyMap<string, Tool>): readonly ToolDefinition[] =>
  [...tools].map(([name, { description, parameters }]) => ({
    name,
    description,
    inputSchema: parameters,
  }));

/** @returns why the loop ends; `undefined` where the model is to be asked again. */
async function takeStep(
  state: LoopState,
  scope: LoopScope,
  request: StepRequest,
  guard: LoopGuard,
): Promise<LoopEnd | undefined> {
  return asStep(state, scope, async () => {
    const turn = await callModel(state, fitted(request, state, scope), scope);
    const calls = toolCallsOf(turn.message);
    if (calls.length === 0) {
      return turn.reason;
    }
    const cutOff = turn.reason === "length";
    const { tainted: wasTainted } = state;
    scope.budget?.spendToolCalls(calls.length);
    const executed = await executeToolCalls(calls, { ...scope, cutOff, tainted: wasTainted });
    const { results, outcomes, interruption, tainted } = executed;
    state.tainted ||= tainted;
    state.messages.push({ role: "tool", content: guard.note(calls, results) });
    if (interruption !== undefined) {
      throw interruption.reason;
    }
    await scope.learnTools(calls, outcomes);
    const ending = calls.find(
      ({ name }, index) => scope.tools.get(name)?.ends && outcomes[index]?.kind === "success",
    );
    if (ending !== undefined) {
      state.endedBy = ending.name;
      return "stop";
    }
    return undefined;
  });
}

/** One model call and what it leads to, between `step-start` and `step-end`. A run that waits is in the midst of one. */
export async function asStep<Value>(
  state: LoopState,
  { steps, span }: ModelScope,
  work: () => Promise<Value>,
): Promise<Value> {
  const step = state.steps + 1;
  steps.emit({ kind: "step-start", step });
  span?.event({ kind: "turn", step });
  try {
    const value = await work();
    steps.emit({ kind: "step-end", step });
    return value;
  } catch (thrown) {
    if (!(thrown instanceof Suspension)) {
      steps.emit({ kind: "step-end", step });
    }
    throw thrown;
  }
}

const limitTexts: Readonly<Record<LimitReason, string>> = {
  "max-steps": "The limit of steps is reached",
  "max-tool-calls": "The limit of tool calls is reached",
  "max-tokens": "The limit of tokens is reached",
  "repeated-calls": "The model repeats the same call and gets the same result",
};

/** What is done where a limit is reached. */
export async function answerAtLimit(
  limit: LimitReason,
  state: LoopState,
  scope: LoopScope,
  request: StepRequest,
): Promise<LimitReason> {
  const isSpent = limit === "max-tokens";
  const what = isSpent
    ? "the run ends with what there is"
    : "the model is asked to answer with what it has";
  scope.steps.emit({
    kind: "notice",
    code: limit === "max-steps" ? "max-steps" : "limit-reached",
    message: `${limitTexts[limit]}: ${what}.`,
  });
  if (!isSpent) {
    await askWithoutTools(state, scope, request);
  }
  return limit;
}

/** One more model call in which no tool may be called; a call made all the same is answered, not executed. */
export async function askWithoutTools(
  state: LoopState,
  scope: LoopScope,
  request: StepRequest,
): Promise<ModelTurn> {
  return asStep(state, scope, async () => {
    const last = fitted({ ...request, toolChoice: "none" }, state, scope);
    const turn = await callModel(state, last, scope);
    const unanswered = toolCallsOf(turn.message);
    if (unanswered.length > 0) {
      state.messages.push({ role: "tool", content: unanswered.map(refused) });
    }
    return turn;
  });
}

const refused = ({ id, name }: ToolCallPart): ToolResultPart => ({
  kind: "tool-result",
  id,
  name,
  isError: true,
  content: [{ kind: "text", text: "Not executed: no tool may be called any more." }],
});

/** The request with as much of the conversation as fits the model. */
function fitted(request: StepRequest, state: LoopState, scope: LoopScope): StepRequest {
  if (scope.maxContextTokens === undefined) {
    return request;
  }
  const given: readonly Message[] = request.messages ?? state.messages;
  const { messages, cutResults, omittedMessages } = fitContext(given, scope.maxContextTokens);
  if (cutResults > 0 || omittedMessages > 0) {
    scope.steps.emit({
      kind: "notice",
      code: "context-cut",
      message: `To fit ${scope.maxContextTokens} tokens, ${cutResults} old tool results were cut and ${omittedMessages} old messages left out of this request.`,
    });
  }
  return { ...request, messages };
}
