import type { Clock } from "../base/clock.ts";
import { sleep } from "../base/sleep.ts";
import type { TraceOperation } from "../base/trace-operation.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import { type AssistantMessage, type Message, textOf, toolCallsOf } from "../message/message.ts";
import type { Model, ModelRequest } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import type { Binding } from "../tool/binding.ts";
import { callHook, type Hooks } from "./hooks.ts";
import { type RetryPolicy, retryDelayOf } from "./model-policy.ts";
import { type ModelTurn, readModelTurn } from "./model-turn.ts";
import type { RunBudget } from "./run-budget.ts";
import { toRunFailure } from "./run-failure.ts";
import { withServerInstructions } from "./server-instructions.ts";
import type { StepAttempt, Steps } from "./steps.ts";
import { traced } from "./traced.ts";

/** What a run has done so far: kept by the run, so that nothing is lost when its loop breaks off. */
export interface LoopState {
  /** The conversation; loops only append. */
  readonly messages: Message[];
  /** Ids of all calls in the conversation. */
  readonly callIds: Set<string>;
  /** Text of the answer that is being given, or was given last. */
  text: string;
  /** Tokens by the id of the model. */
  readonly usage: Map<string, Usage>;
  /** Number of model calls. */
  steps: number;
  /** Which of the run's models is in use: the first, until it is given up. */
  modelIndex: number;
  /** Whether something that a server said has been read in this run. */
  tainted: boolean;
  /** The name of the tool that has ended the loop, if one has. */
  endedBy?: string;
}

/** A state before the first step. */
export function newLoopState(messages: readonly Message[]): LoopState {
  const callIds = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.kind === "tool-call" ? [part.id] : []))
      : [],
  );
  return {
    messages: [...messages],
    callIds: new Set(callIds),
    text: "",
    usage: new Map(),
    steps: 0,
    modelIndex: 0,
    tainted: false,
  };
}

/** All tokens of a run. */
export function totalUsage({ usage }: LoopState): Usage {
  return [...usage.values()].reduce(addUsage, noUsage);
}

/** What model calls are made with. */
export interface ModelScope {
  /** The run's model and those that take over where it fails. */
  readonly models: readonly [Model, ...Model[]];
  readonly retry: RetryPolicy;
  readonly hooks: readonly Hooks[];
  readonly binding: Binding;
  readonly steps: Steps;
  /** What model calls are part of, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** What servers say on their use, for the system prompt; a run that has read it is tainted. */
  serverInstructions?(): readonly string[];
  /** What the run, and whoever asked, may still use up. */
  readonly budget?: RunBudget | undefined;
}

/** A request without the conversation, which is the state's. */
export type StepRequest = Omit<ModelRequest, "messages"> & {
  /** Instead of the state's messages. */
  readonly messages?: readonly Message[];
  /** An aside, such as the making of a plan: not published, and no part of the conversation. */
  readonly aside?: boolean;
};

/**
 * One model call as one step: its deltas are published, its whole message is the recorded value and is
 * added to the state. What fails and may be tried again is tried again; then the next model takes over.
 *
 * @throws ModelError of the last try; RunError `hook-failed`; the signal's reason.
 */
export async function callModel(
  state: LoopState,
  request: StepRequest,
  scope: ModelScope,
): Promise<ModelTurn> {
  state.steps += 1;
  const step = state.steps;
  const told = scope.serverInstructions?.() ?? [];
  state.tainted ||= told.length > 0;
  const turn = await scope.steps.run(
    "model",
    async (attempt) => {
      const made = await new ModelCall(state, request, scope, attempt).make();
      const { model, reason, usage } = made;
      scope.steps.emit({ kind: "model-end", step, model, reason, usage });
      return made;
    },
    { alone: true },
  );
  const { usage, message, model } = turn;
  noteTurn(turn, state, scope);
  scope.budget?.spendStep(usage);
  if (request.aside !== true) {
    state.messages.push(message);
    state.text = textOf(message.content) || state.text;
  }
  state.usage.set(model, addUsage(state.usage.get(model) ?? noUsage, usage));
  return turn;
}

/** What the call itself has noted where it was made, and a recorded turn has not. */
function noteTurn({ message, model }: ModelTurn, state: LoopState, { models }: ModelScope): void {
  for (const { id } of toolCallsOf(message)) {
    state.callIds.add(id);
  }
  const index = models.findIndex(({ id }) => id === model);
  state.modelIndex = Math.max(state.modelIndex, index);
}

/** One model call with its tries. */
class ModelCall {
  readonly #state: LoopState;
  readonly #request: StepRequest;
  readonly #scope: ModelScope;
  readonly #signal: AbortSignal;
  readonly #step: number;
  readonly #execution: number;
  /** Tries of all models, for ids that stay unique. */
  #tries = 0;

  constructor(state: LoopState, request: StepRequest, scope: ModelScope, attempt: StepAttempt) {
    this.#state = state;
    this.#request = request;
    this.#scope = scope;
    this.#signal = attempt.signal;
    this.#execution = attempt.attempt;
    this.#step = state.steps;
  }

  async make(): Promise<ModelTurn> {
    for (let attempt = 1; ; attempt += 1) {
      const model = this.#scope.models[this.#state.modelIndex] ?? this.#scope.models[0];
      try {
        return await this.#attempt(model);
      } catch (thrown) {
        const reason = this.#signal.aborted ? "cancelled" : "error";
        const end = { step: this.#step, model: model.id, reason, usage: noUsage } as const;
        this.#scope.steps.emit({ kind: "model-end", ...end });
        this.#signal.throwIfAborted();
        if (!ModelError.is(thrown)) {
          throw thrown;
        }
        attempt = await this.#afterFailure(model, thrown, attempt);
      }
    }
  }

  /** Waits or changes the model. @returns the number of tries that the model in use has had. */
  async #afterFailure(model: Model, error: ModelError, attempt: number): Promise<number> {
    const { steps, clock, retry, random, models, span } = this.#scope;
    const delayMs = retryDelayOf(error, attempt, retry, random());
    if (delayMs !== undefined) {
      const failure = toRunFailure(error);
      span?.event({ kind: "retry", of: "model", attempt, delayMs, error });
      steps.emit({
        kind: "model-retry",
        step: this.#step,
        model: model.id,
        attempt,
        delayMs,
        error: failure,
      });
      await sleep(clock, delayMs, this.#signal);
      return attempt;
    }
    const next = models[this.#state.modelIndex + 1];
    if (next === undefined) {
      throw error;
    }
    this.#state.modelIndex += 1;
    span?.event({ kind: "fallback", model: next.id });
    steps.emit({
      kind: "notice",
      code: "model-fallback",
      message: `Model ${model.id} failed (${error.message}); ${next.id} takes over.`,
    });
    return 0;
  }

  async #attempt(model: Model): Promise<ModelTurn> {
    const { steps, hooks, binding } = this.#scope;
    this.#tries += 1;
    steps.emit({ kind: "model-start", step: this.#step, model: model.id });
    const { aside: _, ...parts } = this.#request;
    const told = this.#scope.serverInstructions?.() ?? [];
    const messages = withServerInstructions(parts.messages ?? this.#state.messages, told);
    let request: ModelRequest = { ...parts, messages };
    for (const hook of hooks) {
      const given = await callHook("beforeModel", this.#signal, () =>
        hook.beforeModel?.(request, { model, binding }),
      );
      if (given !== undefined && "answer" in given) {
        return this.#answered(given.answer, model);
      }
      request = given?.request ?? request;
    }
    const turn = await this.#read(model, request);
    return { ...turn, message: await this.#afterModel(turn.message, model), model: model.id };
  }

  /** Unique within the run, also where an earlier execution broke off in the middle of this very call. */
  #prefix(): string {
    const { path } = this.#scope.steps;
    const resumed = this.#execution === 1 ? "" : `~${this.#execution}`;
    const again = this.#tries === 1 ? "" : `.${this.#tries}`;
    return `${path}${this.#step}${resumed}${again}`;
  }

  #read(model: Model, request: ModelRequest): Promise<Omit<ModelTurn, "model">> {
    this.#signal.throwIfAborted();
    const scope = { span: this.#scope.span, signal: this.#signal };
    return traced(
      scope,
      () => modelOperation(model, request, this.#scope.binding),
      async (span) => {
        span?.capture("input-messages", () => request.messages);
        span?.capture("tool-definitions", () => request.tools);
        const turn = await this.#readTraced(model, request, span);
        span?.capture("output-messages", () => [{ ...turn.message, reason: turn.reason }]);
        return turn;
      },
    );
  }

  #readTraced(
    model: Model,
    request: ModelRequest,
    span: ActiveSpan | undefined,
  ): Promise<Omit<ModelTurn, "model">> {
    const { steps } = this.#scope;
    const isAside = this.#request.aside === true;
    let text = "";
    return readModelTurn(model.stream(request, { signal: this.#signal, ...(span && { span }) }), {
      span,
      prefix: this.#prefix(),
      signal: this.#signal,
      callIds: this.#state.callIds,
      emit: (event) => void (isAside || steps.emit(event)),
      onText: (piece) => {
        text += piece;
        this.#state.text = isAside ? this.#state.text : text;
      },
    });
  }

  async #afterModel(message: AssistantMessage, model: Model): Promise<AssistantMessage> {
    let current = message;
    for (const hook of this.#scope.hooks) {
      const { binding } = this.#scope;
      const given = await callHook("afterModel", this.#signal, () =>
        hook.afterModel?.(current, { model, binding }),
      );
      current = given ?? current;
    }
    return current;
  }

  /** A hook's answer in the model's place, published like a model's. */
  #answered(answer: string | AssistantMessage, model: Model): ModelTurn {
    const message: AssistantMessage =
      typeof answer === "string"
        ? { role: "assistant", content: [{ kind: "text", text: answer }] }
        : answer;
    const id = `${this.#scope.steps.path}${this.#step}.hook`;
    const { steps } = this.#scope;
    const text = textOf(message.content);
    if (text !== "" && this.#request.aside !== true) {
      steps.emit({ kind: "text-start", id });
      steps.emit({ kind: "text-delta", id, text });
      steps.emit({ kind: "text-end", id });
    }
    const calls = message.content.some(({ kind }) => kind === "tool-call");
    return { message, reason: calls ? "tool-calls" : "stop", usage: noUsage, model: model.id };
  }
}

const modelOperation = (
  { id, endpoint, isStreamed = true }: Model,
  { temperature, maxOutputTokens, reasoningEffort, output }: ModelRequest,
  { run }: Binding,
): TraceOperation => ({
  kind: "model",
  model: id,
  endpoint,
  isStreamed,
  session: run.session?.id,
  temperature,
  maxOutputTokens,
  reasoningEffort,
  wantsJson: output !== undefined,
});
