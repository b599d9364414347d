import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Usage } from "../../model/usage.ts";
import { countOf, toUsageOf } from "../provider/token-counts.ts";

/**
 * The tokens that a chat completion took. Some providers (Google, xAI) leave reasoning out of
 * `completion_tokens` but not out of `total_tokens`: the output is then what the total leaves.
 */
export function toUsage(usage: JsonObject): Usage {
  const input = countOf(usage["prompt_tokens"]) ?? 0;
  const completion = countOf(usage["completion_tokens"]) ?? 0;
  const total = countOf(usage["total_tokens"]) ?? 0;
  const cached =
    countOf(detail(usage["prompt_tokens_details"], "cached_tokens")) ??
    countOf(usage["prompt_cache_hit_tokens"]);
  const reasoning = countOf(detail(usage["completion_tokens_details"], "reasoning_tokens"));
  return toUsageOf({
    inputTokens: input,
    outputTokens: Math.max(completion, total - input),
    cachedInputTokens: cached,
    cacheWriteInputTokens: countOf(detail(usage["prompt_tokens_details"], "cache_write_tokens")),
    reasoningTokens: reasoning,
  });
}

const detail = (details: Json | undefined, field: string): Json | undefined =>
  isJsonObject(details) ? details[field] : undefined;
