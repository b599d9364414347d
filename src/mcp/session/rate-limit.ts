import type { Clock } from "../../base/clock.ts";

/** Lets so many things pass in a second, and as many at once; counts what it holds back. */
export class RateLimit {
  /** How many did not pass. */
  refused = 0;

  readonly #clock: Clock;
  readonly #perSecond: number;
  #left: number;
  #filledAt: number;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#filledAt = clock.now();
  }

  /** Whether one more may pass. */
  pass(): boolean {
    if (this.#left < 1) {
      this.#fill();
    }
    if (this.#left < 1) {
      this.refused += 1;
      return false;
    }
    this.#left -= 1;
    return true;
  }

  #fill(): void {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#filledAt) * this.#perSecond) / 1000;
    this.#left = Math.min(this.#perSecond, this.#left + earned);
    this.#filledAt = now;
  }
}
