import { MemoryRunStore, type MemoryRunStoreOptions } from "../agent/memory-run-store.ts";
import type { RunStore } from "../agent/run-store.ts";

/** Runs in this process, as long as it lives: for tests, and for runs that may be lost. */
export function memoryRuns(options: MemoryRunStoreOptions = {}): RunStore {
  return new MemoryRunStore(options);
}
