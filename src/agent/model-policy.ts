import type { ModelError } from "../model/model-error.ts";

/** How model calls that fail are tried again. */
export interface RetryPolicy {
  /** Tries of one model, the first included. Default 3; 1 switches retries off. */
  readonly maxAttempts?: number;
  /** The first wait; each further one is twice as long. Default 500. */
  readonly initialDelayMs?: number;
  /** The longest wait that is chosen here; a provider's `Retry-After` may ask for up to 60 s. Default 20 000. */
  readonly maxDelayMs?: number;
}

/** A provider that asks for more patience than this is not waited for. */
const longestRetryAfterMs = 60_000;

/**
 * How long to wait before the next try, in milliseconds; `undefined` where there is none.
 *
 * @param attempt the number of the try that failed, from 1.
 * @param random a number from 0 to 1, which spreads the waits of many clients over half their length.
 */
export function retryDelayOf(
  error: ModelError,
  attempt: number,
  { maxAttempts = 3, initialDelayMs = 500, maxDelayMs = 20_000 }: RetryPolicy,
  random: number,
): number | undefined {
  if (!error.retryable || attempt >= maxAttempts) {
    return undefined;
  }
  const chosen = Math.min(initialDelayMs * 2 ** (attempt - 1), maxDelayMs);
  const spread = chosen * (0.5 + random / 2);
  const asked = error.retryAfterMs ?? 0;
  return asked > longestRetryAfterMs ? undefined : Math.round(Math.max(spread, asked));
}
