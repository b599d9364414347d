import type { Usage } from "../model/usage.ts";
import type { LimitReason, RunLimits } from "./loop-guard.ts";

/**
 * What a participant and all whom it asks may use up together: the limits that its run, or its entry in
 * an assembly, was given.
 */
export class RunBudget {
  /** That of whoever asked. */
  readonly outer: RunBudget | undefined;
  readonly #limits: RunLimits;
  #steps = 0;
  #toolCalls = 0;
  #tokens = 0;

  constructor(limits: RunLimits, outer: RunBudget | undefined) {
    this.#limits = limits;
    this.outer = outer;
  }

  /** Counts a model call. */
  spendStep({ inputTokens, outputTokens }: Usage): void {
    this.#steps += 1;
    this.#tokens += inputTokens + outputTokens;
    this.outer?.spendStep({ inputTokens, outputTokens });
  }

  spendToolCalls(count: number): void {
    this.#toolCalls += count;
    this.outer?.spendToolCalls(count);
  }

  /** The limit that is reached, here or in one around it. */
  get reached(): LimitReason | undefined {
    return this.reachedHere ?? this.outer?.reached;
  }

  get reachedHere(): LimitReason | undefined {
    const { maxTokens, maxToolCalls, maxSteps } = this.#limits;
    return this.#tokens >= (maxTokens ?? Number.POSITIVE_INFINITY)
      ? "max-tokens"
      : this.#toolCalls >= (maxToolCalls ?? Number.POSITIVE_INFINITY)
        ? "max-tool-calls"
        : this.#steps >= (maxSteps ?? Number.POSITIVE_INFINITY)
          ? "max-steps"
          : undefined;
  }
}

/** The budget of one who is asked with these limits; the asking one's where they bound nothing. */
export const budgetWithin = (
  limits: RunLimits | undefined,
  outer: RunBudget | undefined,
): RunBudget | undefined =>
  limits?.maxTokens === undefined &&
  limits?.maxToolCalls === undefined &&
  limits?.maxSteps === undefined
    ? outer
    : new RunBudget(limits, outer);
