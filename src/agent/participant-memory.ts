import { untilAborted } from "../base/abort.ts";
import { type Json, toJson } from "../base/json.ts";
import type { MemoryKey, SharedMemory } from "../tool/binding.ts";
import type { ParticipantScope } from "./participant.ts";
import type { MemoryChange, RunMemory } from "./run-memory.ts";

/**
 * The memory of a run as one participant sees it: what it reads of others who have read from a server
 * counts as read from a server.
 */
export class ParticipantMemory implements SharedMemory {
  readonly #memory: RunMemory;
  readonly #scope: Pick<ParticipantScope, "draft" | "steps">;

  constructor({ memory, draft, steps }: Pick<ParticipantScope, "memory" | "draft" | "steps">) {
    this.#memory = memory;
    this.#scope = { draft, steps };
  }

  get<Value extends Json = Json>(key: MemoryKey<Value>): Value | undefined {
    const change = this.#memory.changes.get(nameOf(key));
    return change && (this.#read(change) as Value); // what is set under a key has its type
  }

  async set<Value extends Json = Json>(key: MemoryKey<Value>, value: Value): Promise<void> {
    const { draft, steps } = this.#scope;
    const { tainted } = draft.state;
    await this.#memory.set({ key: nameOf(key), value: toJson(value), tainted }, steps);
  }

  keys(): readonly string[] {
    return [...this.#memory.changes.keys()];
  }

  async waitFor<Value extends Json = Json>(
    key: MemoryKey<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const arrival = Promise.withResolvers<void>();
    const stop = this.#memory.onChange((change) => {
      if (change.key === nameOf(key)) {
        arrival.resolve();
      }
    });
    try {
      if (!this.#memory.changes.has(nameOf(key))) {
        await untilAborted(arrival.promise, signal);
      }
      return this.get(key) as Value; // it is there now, and nothing is ever removed
    } finally {
      stop();
    }
  }

  onChange(listener: (key: string, value: Json) => void): () => void {
    return this.#memory.onChange((change) => listener(change.key, this.#read(change)));
  }

  #read({ value, tainted }: MemoryChange): Json {
    const { draft, steps } = this.#scope;
    if (tainted && !draft.state.tainted) {
      draft.state.tainted = true;
      // The tool that has read it is not executed again where the run is resumed.
      steps.note(taintedStep, () => true);
    }
    return value;
  }
}

/** The step of a participant that has read something tainted from the memory. */
export const taintedStep = "tainted";

const nameOf = <Value extends Json>(key: MemoryKey<Value>): string =>
  typeof key === "string" ? key : key.name;
