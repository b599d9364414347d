import type { Clock } from "../base/clock.ts";

/** Of more callers than this, those that were heard least lately are forgotten. */
const mostCallers = 10_000;

interface Bucket {
  tokens: number;
  time: number;
}

/** Lets each caller do something so many times in a minute, and as often at once. */
export class TokenBuckets {
  readonly #perMinute: number;
  readonly #clock: Clock;
  /** The one that was heard last stands last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** @returns 0 where the caller may, else after how many milliseconds it may again. */
  waitMs(caller: string): number {
    const bucket = this.#bucketOf(caller);
    return bucket.tokens >= 1 ? 0 : ((1 - bucket.tokens) * 60_000) / this.#perMinute;
  }

  /** Counts one. @returns the same as {@link waitMs} before it; one that may not is not counted. */
  take(caller: string): number {
    const waitMs = this.waitMs(caller);
    if (waitMs === 0) {
      this.#bucketOf(caller).tokens -= 1;
    }
    return waitMs;
  }

  #bucketOf(caller: string): Bucket {
    const now = this.#clock.now();
    const known = this.#buckets.get(caller) ?? { tokens: this.#perMinute, time: now };
    const gained = (Math.max(0, now - known.time) * this.#perMinute) / 60_000;
    const bucket = { tokens: Math.min(this.#perMinute, known.tokens + gained), time: now };
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > mostCallers && oldest !== undefined) {
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
