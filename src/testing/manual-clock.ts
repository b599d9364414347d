import type { Clock } from "../base/clock.ts";

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time on and fires, in order, the timers that fall due. */
  advance(durationMs: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

/** A clock that starts at `startMs` (default 0, the Unix epoch). */
export function manualClock(startMs = 0): ManualClock {
  let now = startMs;
  let timers: { readonly due: number; readonly callback: () => void }[] = [];
  return {
    now: () => now,
    startTimer(callback, delayMs) {
      const timer = { due: now + delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(durationMs) {
      now += durationMs;
      const due = timers.filter((timer) => timer.due <= now);
      timers = timers.filter((timer) => timer.due > now);
      for (const { callback } of due.toSorted((left, right) => left.due - right.due)) {
        callback();
      }
    },
    get pending() {
      return timers.length;
    },
  };
}
