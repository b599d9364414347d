import { Refusal } from "../ag-ui/refusal.ts";

/** Counts requests from their arrival until the last byte of their answer. */
export class OpenRequests {
  readonly #most: number;
  readonly #mostPerCaller: number;
  readonly #byCaller = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #count = 0;

  constructor(most: number, mostPerCaller: number) {
    this.#most = most;
    this.#mostPerCaller = mostPerCaller;
  }

  get count(): number {
    return this.#count;
  }

  /** @returns what to call when it is over; more calls do nothing. @throws Refusal 503, 429. */
  enter(caller: string): () => void {
    const own = this.#byCaller.get(caller) ?? 0;
    if (this.#count >= this.#most) {
      const message = "The server has too many requests open; try again soon.";
      const headers = { "retry-after": "1" };
      throw new Refusal(message, { status: 503, code: "unavailable", headers });
    }
    if (own >= this.#mostPerCaller) {
      const message = `You have ${own} requests open, and no more are taken at once.`;
      const headers = { "retry-after": "1" };
      throw new Refusal(message, { status: 429, code: "too-many-requests", headers });
    }
    this.#count += 1;
    this.#byCaller.set(caller, own + 1);
    let isOpen = true;
    return () => {
      if (isOpen) {
        isOpen = false;
        this.#leave(caller);
      }
    };
  }

  /** Fulfilled when none is open, or the signal aborts. */
  async allOver(signal: AbortSignal): Promise<void> {
    if (this.#count === 0 || signal.aborted) {
      return;
    }
    const over = Promise.withResolvers<void>();
    this.#waiting.add(over.resolve);
    signal.addEventListener("abort", () => over.resolve(), { once: true });
    await over.promise;
    this.#waiting.delete(over.resolve);
  }

  #leave(caller: string): void {
    this.#count -= 1;
    const own = (this.#byCaller.get(caller) ?? 1) - 1;
    if (own === 0) {
      this.#byCaller.delete(caller);
    } else {
      this.#byCaller.set(caller, own);
    }
    if (this.#count === 0) {
      for (const resolve of this.#waiting) {
        resolve();
      }
    }
  }
}
