import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";

/** How long a run waits for stores. All in milliseconds. */
export const runPatience = {
  /** For what is written when it ends. */
  end: 30_000,
  /** For the same, from when nobody waits for the run any more: it was cancelled, or its time is over. */
  lateEnd: 5_000,
} as const;

/** By what waiting for a store ends. */
export interface StoreWait {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Waits for a store while a run goes on: no longer than the run.
 *
 * @param begin is not called where the run is over already.
 * @throws the signal's reason; what `begin` throws.
 */
export function whileRunning<Value>(
  signal: AbortSignal,
  begin: () => Promise<Value>,
): Promise<Value> {
  return signal.aborted ? Promise.reject(signal.reason) : untilAborted(begin(), signal);
}

/**
 * Waits for what a run writes when it ends. Its signal does not stop that at once, since a run that was
 * cancelled is to be recorded, too; but a store that does not answer is given up.
 *
 * @param givenUp makes what is thrown then.
 * @throws what `work` throws.
 */
export async function atTheEnd<Value>(
  work: Promise<Value>,
  { signal, clock }: StoreWait,
  givenUp: (afterMs: number) => unknown,
): Promise<Value> {
  let stop = (): void => {};
  let stopLate = (): void => {};
  let onAbort = (): void => {};
  const late = new Promise<never>((_, reject) => {
    const giveUpIn = (delayMs: number): (() => void) =>
      clock.startTimer(() => reject(givenUp(delayMs)), delayMs);
    stop = giveUpIn(runPatience.end);
    onAbort = () => {
      stopLate = giveUpIn(runPatience.lateEnd);
    };
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener("abort", onAbort, { once: true });
    }
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
    stopLate();
    signal.removeEventListener("abort", onAbort);
  }
}
