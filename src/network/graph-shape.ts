/** A way from one node to another, by their names. */
interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Which ways lead from where to where. */
export class GraphShape {
  readonly #targets = new Map<string, string[]>();
  readonly #reached = new Map<string, ReadonlySet<string>>();

  constructor(edges: readonly Edge[]) {
    for (const { from, to } of edges) {
      const targets = this.#targets.get(from);
      if (targets === undefined) {
        this.#targets.set(from, [to]);
      } else {
        targets.push(to);
      }
    }
  }

  /** The nodes to which a way leads, the first one included. */
  reachableFrom(start: string): ReadonlySet<string> {
    const known = this.#reached.get(start);
    if (known !== undefined) {
      return known;
    }
    const reached = new Set([start]);
    for (const name of reached) {
      for (const to of this.#targets.get(name) ?? []) {
        reached.add(to); // a set is walked on to what is added meanwhile
      }
    }
    this.#reached.set(start, reached);
    return reached;
  }

  /** Whether a way leads from some node back to it: then not all nodes can be put in an order. */
  hasCycle(names: readonly string[]): boolean {
    const open = new Map(names.map((name) => [name, 0]));
    for (const to of [...this.#targets.values()].flat()) {
      open.set(to, (open.get(to) ?? 0) + 1);
    }
    const free = names.filter((name) => open.get(name) === 0);
    for (const name of free) {
      for (const to of this.#targets.get(name) ?? []) {
        const left = (open.get(to) ?? 0) - 1;
        open.set(to, left);
        if (left === 0) {
          free.push(to); // a list is walked on to what is added meanwhile
        }
      }
    }
    return free.length < names.length;
  }
}
