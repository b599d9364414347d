import { expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

const day = 24 * 60 * 60 * 1_000;

test("a timer that is longer than the machine's longest fires when it is due, and not at once", () => {
  vi.useFakeTimers();
  try {
    const fired: number[] = [];
    const begun = systemClock.now();
    const note = (): void => void fired.push(systemClock.now() - begun);
    systemClock.startTimer(note, 60 * day);
    const stop = systemClock.startTimer(note, 61 * day);
    vi.advanceTimersByTime(59 * day);
    expect(fired).toEqual([]);
    stop();
    vi.advanceTimersByTime(10 * day);
    expect(fired).toEqual([60 * day]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
