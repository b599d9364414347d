import { untilAborted } from "../base/abort.ts";
import { type Json, toJson } from "../base/json.ts";
import type { MemoryKey, SharedMemory } from "../tool/binding.ts";
import type { Steps } from "./steps.ts";

/** What a change is recorded as. */
type Change = { readonly key: string; readonly value: Json };

const stepName = "memory";

/** The shared memory of one run. Each change is a step, so that a run that is resumed has them all. */
export class RunMemory implements SharedMemory {
  readonly #steps: Steps;
  readonly #listeners = new Set<(key: string, value: Json) => void>();
  #known: Map<string, Json> | undefined;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  get<Value extends Json = Json>(key: MemoryKey<Value>): Value | undefined {
    return this.#values.get(nameOf(key)) as Value | undefined; // what is set under a key has its type
  }

  async set<Value extends Json = Json>(key: MemoryKey<Value>, value: Value): Promise<void> {
    const values = this.#values;
    const change: Change = { key: nameOf(key), value: toJson(value) };
    await this.#steps.run<Change>(stepName, async () => change);
    values.set(change.key, change.value);
    this.#steps.emit({ kind: "memory-set", key: change.key, value: change.value });
    for (const listener of this.#listeners) {
      listener(change.key, change.value);
    }
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  async waitFor<Value extends Json = Json>(
    key: MemoryKey<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const there = this.get(key);
    if (there !== undefined) {
      return there;
    }
    const arrival = Promise.withResolvers<Value>();
    const stop = this.onChange((changed) => {
      const value = changed === nameOf(key) ? this.get(key) : undefined;
      if (value !== undefined) {
        arrival.resolve(value);
      }
    });
    return untilAborted(arrival.promise, signal).finally(stop);
  }

  onChange(listener: (key: string, value: Json) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Read from the journal at the first use: most runs share nothing. */
  get #values(): Map<string, Json> {
    this.#known ??= new Map(
      this.#steps.recall<Change>(stepName).map(({ key, value }) => [key, value]),
    );
    return this.#known;
  }
}

const nameOf = <Value extends Json>(key: MemoryKey<Value>): string =>
  typeof key === "string" ? key : key.name;
