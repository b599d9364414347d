/** A way from one node to another, by their names. */
interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The nodes to which a way leads, the first one included. */
export function reachableFrom(start: string, edges: readonly Edge[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const name of reached) {
    for (const { to } of edges.filter(({ from }) => from === name)) {
      reached.add(to); // a set is walked on to what is added meanwhile
    }
  }
  return reached;
}

/** Whether a way leads from some node back to it. */
export function hasCycle(names: readonly string[], edges: readonly Edge[]): boolean {
  return names.some((name) =>
    edges.some((edge) => edge.from === name && reachableFrom(edge.to, edges).has(name)),
  );
}
