import type { Pause, RunTimeline } from "./run-timeline.ts";

/** Where moments of a run lie, from 0 to 1, without the times in which it only waited. */
export interface TimeScale {
  /** How long the run was at work, in milliseconds. */
  readonly activeMs: number;
  /** How long it waited. */
  readonly waitedMs: number;
  at(time: number): number;
}

/** @param now the end of what goes on still. */
export function timeScale(
  { start = 0, end, last, pauses }: Pick<RunTimeline, "start" | "end" | "last" | "pauses">,
  now: number,
): TimeScale {
  const isPaused = pauses.at(-1) !== undefined && pauses.at(-1)?.end === undefined;
  const until = Math.max(end ?? (isPaused ? last : now), start);
  const waitedBefore = (time: number): number =>
    pauses.reduce((sum, pause) => sum + overlap(pause, start, time), 0);
  const waitedMs = waitedBefore(until);
  const activeMs = Math.max(0, until - start - waitedMs);
  return {
    activeMs,
    waitedMs: pauses.reduce((sum, pause) => sum + (pause.end ?? now) - pause.start, 0),
    at: (time) => {
      const passed = time - start - waitedBefore(time);
      return activeMs === 0 ? 0 : Math.min(1, Math.max(0, passed / activeMs));
    },
  };
}

const overlap = ({ start, end }: Pause, from: number, to: number): number =>
  Math.max(0, Math.min(end ?? Number.POSITIVE_INFINITY, to) - Math.max(start, from));
