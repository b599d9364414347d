/** One try to connect, and how many wait for it. */
export interface ConnectAttempt {
  readonly done: Promise<void>;
  readonly ending: AbortController;
  waiting: number;
}

/** Waits for a try that others may wait for, too: it goes on until the last of them has left. */
export async function shareOf(
  attempt: ConnectAttempt,
  signal: AbortSignal | undefined,
): Promise<void> {
  const left = Promise.withResolvers<never>();
  const onAbort = (): void => {
    attempt.waiting -= 1;
    if (attempt.waiting === 0) {
      attempt.ending.abort(signal?.reason);
    } else {
      left.reject(signal?.reason);
    }
  };
  attempt.waiting += 1;
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([attempt.done, left.promise]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
