import { MemoryRunStore } from "../src/agent/memory-run-store.ts";
import { RunError } from "../src/agent/run-error.ts";
import type { RunChanges, RunKey } from "../src/agent/run-store.ts";

/** A store whose process ends after some writes: all later ones are lost, until another revives it. */
export class MortalStore extends MemoryRunStore {
  #left: number;

  /** @param writes how many are kept. */
  constructor(writes: number) {
    super();
    this.#left = writes;
  }

  override async write(key: RunKey, owner: string, changes: RunChanges): Promise<void> {
    this.#left -= 1;
    if (this.#left < 0) {
      throw new RunError("The process has ended.", { code: "store-unavailable" });
    }
    await super.write(key, owner, changes);
  }

  /** @param writes how many are kept from now on. */
  revive(writes: number = Number.POSITIVE_INFINITY): void {
    this.#left = writes;
  }
}
