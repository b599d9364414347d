import type { Clock } from "../base/clock.ts";

/**
 * The two time limits of a request: how long the other side may be silent, and how long it may take
 * in all. Whoever starts them ends them.
 */
export class TimeLimits {
  /** The limit that has passed, in milliseconds. */
  tooLong: number | undefined;

  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onEnd: () => void;
  readonly #cancelTotal: () => void;
  #cancelIdle: () => void;

  constructor(
    clock: Clock,
    limits: { readonly timeoutMs: number; readonly totalTimeoutMs: number },
    onEnd: () => void,
  ) {
    this.#clock = clock;
    this.#timeoutMs = limits.timeoutMs;
    this.#onEnd = onEnd;
    this.#cancelTotal = this.#start(limits.totalTimeoutMs);
    this.#cancelIdle = this.#start(limits.timeoutMs);
  }

  /** The other side has been heard of. */
  startAnew(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#start(this.#timeoutMs);
  }

  /** Nobody waits any longer. */
  end(): void {
    this.#cancelIdle();
    this.#cancelTotal();
  }

  #start(milliseconds: number): () => void {
    return this.#clock.startTimer(() => {
      this.tooLong ??= milliseconds;
      this.#onEnd();
    }, milliseconds);
  }
}
