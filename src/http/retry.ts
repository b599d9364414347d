import type { Clock } from "../base/clock.ts";
import { ToolError, ToolHttpError } from "../base/tool-error.ts";

/** How failed requests are tried again. Only idempotent methods are, with a body that is no stream. */
export interface RetryOptions {
  /** How often at most, the first time included. */
  readonly attempts: number;
  /** Before the second try; doubled for each further one. Default 250. */
  readonly delayMs?: number;
  /** The longest delay, also where the server asks for a longer one: then it is not tried again. Default 30 000. */
  readonly maxDelayMs?: number;
}

/**
 * How long to wait before the next try, or `undefined` where there is to be none. Network trouble,
 * timeouts and the statuses 408, 429, 500, 502, 503 and 504 are worth one; `Retry-After` is heeded.
 */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  { attempts, delayMs = 250, maxDelayMs = 30_000 }: RetryOptions,
  nowMs: number,
): number | undefined {
  if (attempt >= attempts || !isTransient(error)) {
    return undefined;
  }
  const asked = ToolHttpError.is(error) ? retryAfterMs(error, nowMs) : undefined;
  const delay = asked ?? Math.min(delayMs * 2 ** (attempt - 1), maxDelayMs);
  return delay > maxDelayMs ? undefined : delay;
}

/** Waits; rejects with the signal's reason where it aborts before. */
export function pause(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.startTimer(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

const transientStatuses = new Set([408, 429, 500, 502, 503, 504]);

function isTransient(error: unknown): boolean {
  if (ToolHttpError.is(error)) {
    return transientStatuses.has(error.response.status);
  }
  return ToolError.is(error) && (error.code === "tool-network" || error.code === "tool-timeout");
}

function retryAfterMs({ response }: ToolHttpError, nowMs: number): number | undefined {
  const value = response.headers["retry-after"];
  if (value === undefined) {
    return undefined;
  }
  const atMs = /^\d+$/.test(value) ? nowMs + Number(value) * 1_000 : Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
