import type { Clock } from "../base/clock.ts";
import { type Message, textOf, toolCallsOf } from "../message/message.ts";
import type { Model, ModelRequest, ToolDefinition } from "../model/model.ts";
import type { FinishReason } from "../model/model-event.ts";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import type { Binding } from "../tool/binding.ts";
import type { Tool } from "../tool/tool.ts";
import { type ModelTurn, readModelTurn } from "./model-turn.ts";
import type { Steps } from "./steps.ts";
import { executeToolCalls } from "./tool-execution.ts";

/** What a loop works with. */
export interface LoopScope {
  readonly model: Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly maxSteps: number;
  readonly binding: Binding;
  readonly steps: Steps;
  readonly clock: Clock;
}

/** What a loop has done so far: kept by the run, so that nothing is lost when the loop breaks off. */
export interface LoopState {
  /** The conversation; the loop only appends. */
  readonly messages: Message[];
  /** Text of the answer that is being given, or was given last. */
  text: string;
  usage: Usage;
  /** Number of model calls. */
  steps: number;
}

/** A state before the first step. */
export function newLoopState(messages: readonly Message[]): LoopState {
  return { messages: [...messages], text: "", usage: noUsage, steps: 0 };
}

/**
 * The loop for models that call tools natively: model call, tool calls side by side, their results
 * back, until the model answers without a call. After `maxSteps` model calls with tools it asks once
 * more without, so that the work done so far becomes an answer.
 *
 * @returns why the model stopped.
 * @throws ModelError; the signal's reason; a ConfigurationError that a tool threw.
 */
export async function runNativeLoop(
  state: LoopState,
  scope: LoopScope,
): Promise<FinishReason | "max-steps"> {
  const definitions = definitionsOf(scope.tools);
  const callIds = new Set(state.messages.flatMap(callIdsOf));
  for (let step = 1; step <= scope.maxSteps; step += 1) {
    scope.steps.emit({ kind: "step-start", step });
    const turn = await callModel(state, { tools: definitions }, scope, callIds);
    const calls = toolCallsOf(turn.message);
    if (calls.length > 0) {
      const { results, interruption } = await executeToolCalls(calls, {
        ...scope,
        cutOff: turn.reason === "length",
      });
      state.messages.push({ role: "tool", content: results });
      if (interruption !== undefined) {
        throw interruption.reason;
      }
    }
    scope.steps.emit({ kind: "step-end", step });
    if (calls.length === 0) {
      return turn.reason;
    }
  }
  return answerWithoutTools(state, scope, definitions, callIds);
}

const callIdsOf = (message: Message): readonly string[] =>
  message.role === "assistant" ? toolCallsOf(message).map(({ id }) => id) : [];

async function answerWithoutTools(
  state: LoopState,
  scope: LoopScope,
  tools: readonly ToolDefinition[],
  callIds: Set<string>,
): Promise<"max-steps"> {
  scope.steps.emit({
    kind: "notice",
    code: "max-steps",
    message: `The limit of ${scope.maxSteps} steps is reached: the model is asked to answer with what it has.`,
  });
  const step = scope.maxSteps + 1;
  scope.steps.emit({ kind: "step-start", step });
  const turn = await callModel(state, { tools, toolChoice: "none" }, scope, callIds);
  const unanswered = toolCallsOf(turn.message);
  if (unanswered.length > 0) {
    const text = "Not executed: the run's step limit is reached.";
    state.messages.push({
      role: "tool",
      content: unanswered.map(({ id, name }) => ({
        kind: "tool-result",
        id,
        name,
        isError: true,
        content: [{ kind: "text", text }],
      })),
    });
  }
  scope.steps.emit({ kind: "step-end", step });
  return "max-steps";
}

const definitionsOf = (tools: ReadonlyMap<string, Tool>): readonly ToolDefinition[] =>
  [...tools].map(([name, { description, parameters }]) => ({
    name,
    description,
    inputSchema: parameters,
  }));

/** One model call as one step: its deltas are published, its whole message is the recorded value. */
async function callModel(
  state: LoopState,
  request: Omit<ModelRequest, "messages">,
  { model, steps }: LoopScope,
  callIds: Set<string>,
): Promise<ModelTurn> {
  state.steps += 1;
  const step = state.steps;
  steps.emit({ kind: "model-start", step, model: model.id });
  const turn = await steps.run(`model:${step}`, ({ signal }) => {
    signal.throwIfAborted();
    const stream = model.stream({ ...request, messages: state.messages }, { signal });
    let text = "";
    return readModelTurn(stream, {
      step,
      signal,
      callIds,
      emit: (event) => steps.emit(event),
      onText(piece) {
        text += piece;
        state.text = text;
      },
    });
  });
  const { reason, usage, message } = turn;
  state.messages.push(message);
  state.text = textOf(message.content) || state.text;
  state.usage = addUsage(state.usage, usage);
  steps.emit({ kind: "model-end", step, model: model.id, reason, usage });
  return turn;
}
