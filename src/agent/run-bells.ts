/** What a reader listens to: one run, or all of an application. */
export interface RunPlace {
  readonly app: string;
  readonly id?: string;
}

/** Wakes those who wait for changes of runs. */
export class RunBells {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** How many listen. */
  get listening(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Tells those who listen to the run, and those who listen to its application. */
  ring({ app, id }: Required<RunPlace>): void {
    for (const key of [keyOf({ app, id }), keyOf({ app })]) {
      for (const listener of this.#listeners.get(key) ?? []) {
        wake(listener);
      }
    }
  }

  /** Tells everybody, where nobody knows what has changed. */
  ringAll(): void {
    for (const listener of [...this.#listeners.values()].flatMap((set) => [...set])) {
      wake(listener);
    }
  }

  /** See `RunStore.changes`. It listens from the first step on. */
  async *listen(place: RunPlace, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const listener: Listener = { rung: true, wake: undefined };
    const leave = this.#enter(keyOf(place), listener);
    const onAbort = (): void => wake(listener);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted) {
        await untilRung(listener);
        listener.rung = false;
        if (!signal.aborted) {
          yield;
        }
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      leave();
    }
  }

  #enter(key: string, listener: Listener): () => void {
    const set = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#listeners.get(key) === set) {
        this.#listeners.delete(key);
      }
    };
  }
}

interface Listener {
  /** Whether something has changed since it looked last. */
  rung: boolean;
  wake: (() => void) | undefined;
}

function wake(listener: Listener): void {
  listener.rung = true;
  listener.wake?.();
  listener.wake = undefined;
}

const untilRung = (listener: Listener): Promise<void> =>
  listener.rung
    ? Promise.resolve()
    : new Promise((resolve) => {
        listener.wake = resolve;
      });

const keyOf = ({ app, id }: RunPlace): string =>
  JSON.stringify(id === undefined ? [app] : [app, id]);
