import type { RunLimits } from "./loop-guard.ts";

/** Counts how often agents ask others by tools, so that those who hand a task to and fro come to an end. */
export class Delegations {
  readonly #outer: Delegations | undefined;
  readonly #depth: number;
  readonly #maxCount: number;
  readonly #maxDepth: number;
  #count = 0;

  /**
   * @param limits of the agent at `agentPath`, for itself and whom it asks.
   * @param outer those of the agent that asked it, which hold as well.
   */
  constructor(limits: RunLimits, agentPath: readonly string[], outer?: Delegations) {
    const most = outer === undefined ? { count: 100, depth: 8 } : noBound;
    this.#outer = outer;
    this.#depth = agentPath.length - 1;
    this.#maxCount = limits.maxDelegations ?? most.count;
    this.#maxDepth = limits.maxDepth ?? most.depth;
  }

  /** Why the agent at `agentPath` may not ask another one; `undefined` where it may. */
  problem(agentPath: readonly string[]): string | undefined {
    if (agentPath.length - this.#depth >= this.#maxDepth) {
      return `${agentPath.join(" > ")} is as deep as agents may ask each other (${this.#maxDepth}).`;
    }
    if (this.#count >= this.#maxCount) {
      return `this run has delegated ${this.#maxCount} times, which is its limit. Answer with what you have.`;
    }
    return this.#outer?.problem(agentPath);
  }

  /** Counts one. */
  add(): void {
    this.#count += 1;
    this.#outer?.add();
  }
}

const noBound = { count: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };
