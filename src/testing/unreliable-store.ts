/** A store, whatever it keeps, that hangs or fails when it is told to. */
export interface UnreliableStore<Store> {
  /** The store to give to what is tested. */
  readonly store: Store;
  /**
   * From now on calls of these methods do not settle, and nothing is done, until {@link recover}.
   * Without names, of all methods.
   */
  hang(...methods: readonly (keyof Store & string)[]): void;
  /** From now on calls of these methods reject with `error`, and nothing is done. Without names, of all methods. */
  fail(error: unknown, ...methods: readonly (keyof Store & string)[]): void;
  /** From now on all works; calls that hang are made. */
  recover(): void;
  /** The names of the methods whose calls hang now, in order. */
  readonly hanging: readonly string[];
  /** Resolves as soon as so many calls hang. Default 1. */
  untilHanging(count?: number): Promise<void>;
}

/** What calls meet. */
type Fault = { readonly kind: "hang" } | { readonly kind: "fail"; readonly error: unknown };

/**
 * Puts a store of sessions, runs, artifacts or anything else behind faults: for tests of what an
 * application does where its database does not answer.
 *
 * What gives no promise, such as `changes` of a `RunStore`, is passed on as it is.
 */
export function unreliableStore<Store extends object>(inner: Store): UnreliableStore<Store> {
  const faults = new Faults();
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" && typeof name === "string"
        ? (...given: readonly unknown[]) =>
            faults.meet(name, () => Reflect.apply(value, target, given))
        : typeof value === "function"
          ? value.bind(target)
          : value;
    },
  });
  return {
    store,
    hang: (...methods) => faults.set({ kind: "hang" }, methods),
    fail: (error, ...methods) => faults.set({ kind: "fail", error }, methods),
    recover: () => faults.recover(),
    get hanging() {
      return faults.hanging.map(({ name }) => name);
    },
    untilHanging: (count = 1) => faults.untilHanging(count),
  };
}

class Faults {
  readonly #byMethod = new Map<string, Fault>();
  #ofAll: Fault | undefined;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  hanging: { readonly name: string; readonly go: () => void }[] = [];

  set(fault: Fault, methods: readonly string[]): void {
    if (methods.length === 0) {
      this.#ofAll = fault;
    }
    for (const method of methods) {
      this.#byMethod.set(method, fault);
    }
  }

  recover(): void {
    this.#byMethod.clear();
    this.#ofAll = undefined;
    const { hanging } = this;
    this.hanging = [];
    for (const { go } of hanging) {
      go();
    }
  }

  meet(name: string, call: () => unknown): unknown {
    // What only gives something to iterate over cannot hang or fail as a promise does.
    const fault = name === "changes" ? undefined : (this.#byMethod.get(name) ?? this.#ofAll);
    switch (fault?.kind) {
      case undefined:
        return call();
      case "fail":
        return Promise.reject(fault.error);
      case "hang":
        return new Promise((resolve, reject) => {
          const go = (): void => void Promise.resolve().then(call).then(resolve, reject);
          this.hanging.push({ name, go });
          this.#tell();
        });
    }
  }

  untilHanging(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
      this.#tell();
    });
  }

  #tell(): void {
    const isOver = ({ count }: { readonly count: number }): boolean => this.hanging.length >= count;
    for (const { resolve } of this.#waiting.filter(isOver)) {
      resolve();
    }
    this.#waiting = this.#waiting.filter((one) => !isOver(one));
  }
}
