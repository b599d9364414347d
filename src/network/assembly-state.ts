import type { RunInput } from "../agent/run-input.ts";
import type { CompletedRun } from "../agent/run-result.ts";

/** What has happened in an assembly so far, for functions that decide how it goes on. */
export interface AssemblyState {
  /** What the assembly was asked. */
  readonly input: RunInput;
  /** The latest answer of each member that has given one, by its name in the assembly. */
  readonly results: ReadonlyMap<string, CompletedRun>;
  /** The answer that was given last. */
  readonly last: { readonly name: string; readonly result: CompletedRun } | undefined;
  /** How many answers were given. */
  readonly turns: number;
}
