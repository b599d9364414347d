import type { Clock } from "./clock.ts";

/** The machine that files are on. */
export interface FileMachine {
  readonly platform: string;
  readonly clock: Clock;
}

/** So long a file may be in another program's hands, in milliseconds. */
const patienceMs = 2_000;
const pauseMs = 25;

/**
 * Does something to a file that others may have open at this moment. On Windows such a file cannot be
 * replaced or removed, and a virus scanner opens every new one: there it is tried again for two seconds.
 *
 * @throws what the last try has thrown.
 */
export async function whenFree<Value>(
  work: () => Promise<Value>,
  { platform, clock }: FileMachine,
): Promise<Value> {
  const end = clock.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isInUse(error, platform) || clock.now() >= end) {
        throw error;
      }
    }
    await new Promise<void>((resolve) => {
      clock.startTimer(resolve, pauseMs);
    });
  }
}

const isInUse = (error: unknown, platform: string): boolean =>
  platform === "win32" &&
  error instanceof Error &&
  "code" in error &&
  ["EPERM", "EACCES", "EBUSY"].includes(String(error.code));
