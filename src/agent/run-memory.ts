import type { Json } from "../base/json.ts";
import type { Steps } from "./steps.ts";

/** What a change is recorded as. */
export type MemoryChange = {
  readonly key: string;
  readonly value: Json;
  readonly tainted: boolean;
};

const stepName = "memory";

/** The memory of one run. Each change is a step, so that a run that is resumed has them all. */
export class RunMemory {
  readonly #steps: Steps;
  readonly #listeners = new Set<(change: MemoryChange) => void>();
  #known: Map<string, MemoryChange> | undefined;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  get changes(): ReadonlyMap<string, MemoryChange> {
    return this.#changes;
  }

  /** @param by the steps of who sets it, whose event it is. */
  async set(change: MemoryChange, by: Steps): Promise<void> {
    const changes = this.#changes;
    await this.#steps.run<MemoryChange>(stepName, async () => change);
    changes.set(change.key, change);
    by.emit({ kind: "memory-set", key: change.key, value: change.value });
    for (const listener of this.#listeners) {
      listener(change);
    }
  }

  onChange(listener: (change: MemoryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Read from the journal at the first use: most runs share nothing. */
  get #changes(): Map<string, MemoryChange> {
    this.#known ??= new Map(
      this.#steps.recall<MemoryChange>(stepName).map((change) => [change.key, change]),
    );
    return this.#known;
  }
}
