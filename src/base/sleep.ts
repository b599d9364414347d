import { untilAborted } from "./abort.ts";
import type { Clock } from "./clock.ts";

/** Waits for a time on a clock. @throws the signal's reason as soon as it aborts. */
export async function sleep(clock: Clock, durationMs: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => {};
  const passed = new Promise<void>((resolve) => {
    cancel = clock.startTimer(resolve, durationMs);
  });
  await untilAborted(passed, signal).finally(cancel);
}
