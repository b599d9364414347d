import { canonicalJson } from "../base/canonical-json.ts";
import type { ToolCallPart, ToolResultPart } from "../message/content.ts";
import type { FinishReason } from "../model/model-event.ts";
import type { Usage } from "../model/usage.ts";

/** What one run may use up. Reaching a limit ends the tool calls, and the model is asked for its answer. */
export interface RunLimits {
  /** Model calls with tools. Default 50. */
  readonly maxSteps?: number;
  /** Tool calls. Default 1 000. */
  readonly maxToolCalls?: number;
  /** Tokens in and out, as providers count them. Default: no limit. */
  readonly maxTokens?: number;
  /** How often a call with the same arguments may give the same result. Default 5. */
  readonly maxRepeats?: number;
  /** How often the agent, and all whom it asks, may ask others by tools. Default 100 for a run. */
  readonly maxDelegations?: number;
  /** How deep agents may ask each other, this one counted. Default 8 for a run. */
  readonly maxDepth?: number;
}

/** Why a loop was ended before the model was done. */
export type LimitReason = "max-steps" | "max-tool-calls" | "max-tokens" | "repeated-calls";

/** Why a loop ended. */
export type LoopEnd = FinishReason | LimitReason;

/** From how many equal results on the model is told that it goes in circles. */
const remindAfter = 3;

/** Counts what a run uses up and notices when it goes in circles. */
export class LoopGuard {
  readonly #limits: Required<
    Pick<RunLimits, "maxSteps" | "maxToolCalls" | "maxTokens" | "maxRepeats">
  >;
  readonly #repeats = new Map<string, { result: string; count: number }>();
  #calls = 0;
  #worst = 0;

  constructor(limits: RunLimits) {
    this.#limits = {
      maxSteps: limits.maxSteps ?? 50,
      maxToolCalls: limits.maxToolCalls ?? 1_000,
      maxTokens: limits.maxTokens ?? Number.POSITIVE_INFINITY,
      maxRepeats: limits.maxRepeats ?? 5,
    };
  }

  /** The limit that is reached before another step, if one is. */
  reached(steps: number, usage: Usage): LimitReason | undefined {
    const { maxSteps, maxToolCalls, maxTokens, maxRepeats } = this.#limits;
    if (usage.inputTokens + usage.outputTokens >= maxTokens) {
      return "max-tokens";
    }
    if (this.#worst >= maxRepeats) {
      return "repeated-calls";
    }
    if (this.#calls >= maxToolCalls) {
      return "max-tool-calls";
    }
    return steps >= maxSteps ? "max-steps" : undefined;
  }

  /** Takes note of calls and their results, and gives the results with a reminder where one is due. */
  note(
    calls: readonly ToolCallPart[],
    results: readonly ToolResultPart[],
  ): readonly ToolResultPart[] {
    this.#calls += calls.length;
    return results.map((result, index) => {
      const call = calls[index];
      const count = call === undefined ? 0 : this.#count(call, result);
      return count < remindAfter ? result : remind(result, count);
    });
  }

  #count(call: ToolCallPart, { content }: ToolResultPart): number {
    const key = `${call.name} ${call.malformedArguments ?? canonicalJson(call.arguments)}`;
    const result = JSON.stringify(content);
    const before = this.#repeats.get(key);
    const count = before?.result === result ? before.count + 1 : 1;
    this.#repeats.set(key, { result, count });
    this.#worst = Math.max(this.#worst, count);
    return count;
  }
}

function remind(result: ToolResultPart, count: number): ToolResultPart {
  const text = `(You have made this very call ${count} times, always with this result. Do something else, or answer with what you have.)`;
  return { ...result, content: [...result.content, { kind: "text", text }] };
}
