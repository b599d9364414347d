/** So many at once; others wait in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot and takes it. @throws the signal's reason where it aborts before. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const onAbort = (): void => {
      const place = this.#waiting.indexOf(turn.resolve);
      if (place >= 0) {
        this.#waiting.splice(place, 1);
        turn.reject(signal.reason);
      }
    };
    this.#waiting.push(turn.resolve);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Gives a slot back, to the next who waits. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free += 1;
    } else {
      next();
    }
  }
}
