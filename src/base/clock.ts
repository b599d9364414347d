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

/** The longest delay that one timer takes; a longer one would fire at once. */
const longestDelayMs = 0x7fff_ffff;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  startTimer(callback, delayMs) {
    let left = delayMs;
    let timer: ReturnType<typeof setTimeout>;
    const start = (): void => {
      const delay = Math.min(left, longestDelayMs);
      left -= delay;
      timer = setTimeout(left > 0 ? start : callback, delay);
    };
    start();
    return () => clearTimeout(timer);
  },
};
