import type { Clock } from "./clock.ts";

/** A signal that also aborts when a time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Takes the time back; the signal then aborts with the outer one only. */
  stop(): void;
}

/**
 * Limits work to a time of its own, within `signal`.
 *
 * @param timeoutMs in milliseconds; `undefined` for no limit.
 * @param reason makes what the signal aborts with when the time is over.
 */
export function startTimeLimit(
  clock: Clock,
  signal: AbortSignal,
  timeoutMs: number | undefined,
  reason: () => unknown,
): TimeLimit {
  if (timeoutMs === undefined) {
    return { signal, stop: () => {} };
  }
  const controller = new AbortController();
  const stop = clock.startTimer(() => controller.abort(reason()), timeoutMs);
  return { signal: AbortSignal.any([signal, controller.signal]), stop };
}

/** The earlier of two deadlines, of which either may be none. */
export const earlierOf = (
  one: number | undefined,
  other: number | undefined,
): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
