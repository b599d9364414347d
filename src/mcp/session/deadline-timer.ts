import type { Clock } from "../../base/clock.ts";

/**
 * One timer for any number of deadlines. It rings at the earliest that it was told of, or before:
 * whoever hears it looks which deadlines have passed, and tells it of the next.
 */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #onRing: (now: number) => void;
  #ringsAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(clock: Clock, onRing: (now: number) => void) {
    this.#clock = clock;
    this.#onRing = onRing;
  }

  /** Rings at `time` at the latest, in milliseconds since the Unix epoch; `now` saves a look at the clock. */
  ringBy(time: number, now: number): void {
    if (time >= this.#ringsAt) {
      return;
    }
    this.#cancel();
    this.#ringsAt = time;
    this.#cancel = this.#clock.startTimer(
      () => {
        this.#ringsAt = Number.POSITIVE_INFINITY;
        this.#onRing(this.#clock.now());
      },
      Math.max(0, time - now),
    );
  }

  /** Forgets all deadlines. */
  stop(): void {
    this.#cancel();
    this.#ringsAt = Number.POSITIVE_INFINITY;
  }
}
