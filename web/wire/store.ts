/** A value that can be watched. */
export class Store<Value> {
  #value: Value;
  readonly #watchers = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  /** Tells the watchers, unless it is the same. */
  set(value: Value): void {
    if (!Object.is(value, this.#value)) {
      this.#value = value;
      for (const watcher of [...this.#watchers]) {
        watcher();
      }
    }
  }

  /** @returns what ends the watching. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}
