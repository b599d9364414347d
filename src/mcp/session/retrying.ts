import type { Clock } from "../../base/clock.ts";
import { sleep } from "../../base/sleep.ts";
import { McpError } from "../wire/mcp-error.ts";

/** What bounds the tries. */
interface RetryScope {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** The wait must be over by then, in milliseconds since the Unix epoch. */
  readonly until: number;
}

const mostTries = 3;

/**
 * Does what may safely be done again; where the server is too busy (HTTP 429 or 503) and says for how
 * long, it waits and tries again, as long as there is time.
 */
export async function retrying<Value>(
  { clock, signal, until }: RetryScope,
  attempt: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = tries < mostTries ? busyMs(error) : undefined;
      if (waitMs === undefined || clock.now() + waitMs >= until) {
        throw error;
      }
      await sleep(clock, waitMs, signal ?? never);
    }
  }
}

const never = new AbortController().signal;

const busyMs = (error: unknown): number | undefined =>
  McpError.is(error) && (error.status === 429 || error.status === 503)
    ? error.retryAfterMs
    : undefined;
