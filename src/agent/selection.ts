/**
 * What one level (global configuration, network, agent, task, run) says of its tools or servers:
 * none, what the level above has, or exactly these. A level that says nothing inherits.
 */
export type Selection<Item> = "none" | "inherit" | readonly Item[];

/**
 * What holds in the end: none, exactly these, or `undefined` where no level has named anything.
 *
 * @param levels from the outermost to the innermost.
 */
export function resolveSelection<Item>(
  levels: readonly (Selection<Item> | undefined)[],
): "none" | readonly Item[] | undefined {
  return levels.findLast((level) => level !== undefined && level !== "inherit");
}
