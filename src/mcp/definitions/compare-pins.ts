import type { ServerPins } from "../../tool/tool-pins.ts";
import { definitionChanges } from "./definition-changes.ts";
import type { McpToolDefinition } from "./tool-definition.ts";
import { toolPin } from "./tool-pin.ts";

/** How the tools of a server differ from their pins. */
export interface PinComparison {
  /** Published, and not pinned; by name, sorted. */
  readonly added: readonly string[];
  readonly changed: readonly ChangedTool[];
  /** Pinned, and no longer published. */
  readonly removed: readonly string[];
}

/** A tool that is not what was pinned. */
export interface ChangedTool {
  readonly name: string;
  /** What differs, a line each. */
  readonly changes: readonly string[];
}

/** Compares what a server publishes with its pins; a server without pins has nothing but new tools. */
export function comparePins(
  definitions: readonly McpToolDefinition[],
  { tools: pinned }: ServerPins = { tools: {} },
): PinComparison {
  const published = new Set(definitions.map(({ sourceName }) => sourceName));
  const added: string[] = [];
  const changed: ChangedTool[] = [];
  for (const definition of definitions) {
    const name = definition.sourceName;
    const before = Object.hasOwn(pinned, name) ? pinned[name] : undefined;
    const now = toolPin(definition);
    if (before === undefined) {
      added.push(name);
    } else if (before.sha256 !== now.sha256) {
      changed.push({ name, changes: definitionChanges(before.definition, now.definition) });
    }
  }
  return {
    added: added.toSorted(),
    changed: changed.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    removed: Object.keys(pinned).filter((name) => !published.has(name)),
  };
}
