import type { Binding } from "../tool/binding.ts";
import type { OpenToolset, ToolsetObserver } from "../tool/toolset.ts";
import type { McpEntry } from "./tool-level.ts";

/** Toolsets that are open already, for the principal of the run. */
export interface KeptToolsets {
  /**
   * The open toolset of an entry; `undefined` where it must be opened for the run. Closing it only ends
   * the run's use of it; until then the observer hears what the server tells.
   *
   * @throws what opening it throws.
   */
  find(
    entry: McpEntry,
    binding: Binding,
    observer: ToolsetObserver,
  ): Promise<OpenToolset | undefined>;
}
