import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { Usage } from "../model/usage.ts";

/**
 * The tokens that a chat completion took. Some providers (Google, xAI) leave reasoning out of
 * `completion_tokens` but not out of `total_tokens`: the output is then what the total leaves.
 */
export function toUsage(usage: JsonObject): Usage {
  const input = count(usage["prompt_tokens"]) ?? 0;
  const completion = count(usage["completion_tokens"]) ?? 0;
  const total = count(usage["total_tokens"]) ?? 0;
  const cached =
    count(detail(usage["prompt_tokens_details"], "cached_tokens")) ??
    count(usage["prompt_cache_hit_tokens"]);
  const reasoning = count(detail(usage["completion_tokens_details"], "reasoning_tokens"));
  return {
    inputTokens: input,
    outputTokens: Math.max(completion, total - input),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

const detail = (details: Json | undefined, field: string): Json | undefined =>
  isJsonObject(details) ? details[field] : undefined;

const count = (value: Json | undefined): number | undefined =>
  typeof value === "number" && value >= 0 ? value : undefined;
