import type { Steps } from "../agent/steps.ts";
import type { Json } from "../base/json.ts";
import type { MemoryKey, SharedMemory } from "../tool/binding.ts";

/**
 * The memory of a run as a workflow sees it. Where the run is resumed the memory is there as it was left,
 * but the workflow goes its way again: it reads what it has read, and what it has set is not set again.
 */
export class WorkflowMemory implements SharedMemory {
  readonly #memory: SharedMemory;
  readonly #steps: Steps;

  constructor(memory: SharedMemory, steps: Steps) {
    this.#memory = memory;
    this.#steps = steps;
  }

  get<Value extends Json = Json>(key: MemoryKey<Value>): Value | undefined {
    const look = (): { readonly value?: Json } => {
      const value = this.#memory.get(key);
      return value === undefined ? {} : { value };
    };
    return this.#steps.note("memory:get", look).value as Value | undefined; // what was kept there
  }

  async set<Value extends Json = Json>(key: MemoryKey<Value>, value: Value): Promise<void> {
    await this.#steps.run("memory:set", async () => {
      await this.#memory.set(key, value);
      return null;
    });
  }

  keys(): readonly string[] {
    return this.#steps.note<readonly string[]>("memory:keys", () => this.#memory.keys());
  }

  waitFor<Value extends Json = Json>(key: MemoryKey<Value>, signal: AbortSignal): Promise<Value> {
    return this.#steps.run("memory:wait", () => this.#memory.waitFor(key, signal));
  }

  onChange(listener: (key: string, value: Json) => void): () => void {
    return this.#memory.onChange(listener);
  }
}
