import type { Json } from "../../base/json.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { Usage } from "../../model/usage.ts";

/** A count of tokens; anything else is none. */
export const countOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" && value >= 0 ? value : undefined;

/** A usage without the counts that are not known. */
export function toUsageOf(counts: {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number | undefined;
  readonly cacheWriteInputTokens?: number | undefined;
  readonly reasoningTokens: number | undefined;
}): Usage {
  const { inputTokens, outputTokens, ...parts } = counts;
  return {
    inputTokens,
    outputTokens,
    ...withoutUndefined(parts),
  };
}
