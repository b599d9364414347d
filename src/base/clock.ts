/** Time, injected: the only way in which the kernel learns the hour or waits. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds, unless the returned function is called
   * before. Whoever starts a timer cancels it when it is no longer needed: it keeps Node alive.
   */
  startTimer(callback: () => void, delayMs: number): () => void;
}

/** The longest delay that timers take; a longer one would fire at once. */
const longestDelayMs = 0x7fff_ffff;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  startTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, longestDelayMs));
    return () => clearTimeout(timer);
  },
};
