import type { Assembly } from "../agent/assembly.ts";
import { interruptionOf } from "../agent/suspension.ts";
import { didYouMean } from "../base/closest-name.ts";
import type { AssemblyState } from "./assembly-state.ts";
import { type AssemblyWork, answerText } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import { hasCycle, reachableFrom } from "./graph-shape.ts";
import {
  invalidAssembly,
  type Member,
  type MemberEntry,
  type RuntimeNow,
  toMember,
} from "./member.ts";

/** A way from one node to another. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Whether it is taken once `from` has answered. Default: always. */
  readonly when?: (state: AssemblyState) => boolean | Promise<boolean>;
}

/** A node: a member, which may wait for all that lead to it. */
export type GraphNode = MemberEntry;

/** Members as nodes, and the ways between them. */
export interface GraphDefinition extends AssemblyHead {
  readonly nodes: Readonly<Record<string, GraphNode>>;
  readonly edges: readonly GraphEdge[];
  /** The node that is asked first, what the graph is asked. */
  readonly start: string;
  /** Nodes that are asked only once every node with an edge to them has answered. */
  readonly joins?: readonly string[];
  /** The most times that nodes are asked, all together. Needed where the graph has a cycle. */
  readonly maxVisits?: number;
}

/**
 * Asks the start; then, side by side, each node to which an edge is taken, what those before it have
 * answered; and so on until no edge is taken. The answer is that of the nodes that were asked last.
 *
 * @throws ConfigurationError `invalid-definition`: unknown nodes, nodes that cannot be reached, a cycle
 *   without `maxVisits`.
 */
export function createGraph<Output>(
  definition: GraphDefinition,
  runtimeNow: RuntimeNow,
): Assembly<Output> {
  const { nodes, edges, start, joins = [], maxVisits, ...head } = definition;
  const where = `graph "${head.name}"`;
  const members = new Map(
    Object.entries(nodes ?? {}).map(([name, entry]) => {
      const member = toMember(entry, `node "${name}" of the ${where}`);
      const outputKey = member.outputKey === member.name ? name : member.outputKey;
      return [name, { ...member, name, outputKey }];
    }),
  );
  checkGraph(definition, where);
  const graph: Graph = { members, edges, joins: new Set(joins) };
  const most = maxVisits ?? Number.POSITIVE_INFINITY;
  return defineAssembly<Output>(
    { ...head, pattern: "graph", perform: (work) => new Walk(graph, work, most).from(start) },
    runtimeNow,
  );
}

interface Graph {
  readonly members: ReadonlyMap<string, Member>;
  readonly edges: readonly GraphEdge[];
  readonly joins: ReadonlySet<string>;
}

/** One run through a graph. */
class Walk {
  readonly #graph: Graph;
  readonly #work: AssemblyWork;
  readonly #most: number;
  #visits = 0;

  constructor(graph: Graph, work: AssemblyWork, most: number) {
    this.#graph = graph;
    this.#work = work;
    this.#most = most;
  }

  async from(start: string): Promise<{ readonly text: string; readonly output?: unknown }> {
    let frontier: ReadonlyMap<string, readonly string[]> = new Map([[start, []]]);
    let last: readonly string[] = [];
    while (frontier.size > 0) {
      if (this.#visits + frontier.size > this.#most) {
        const message = `The graph ended after ${this.#visits} visits; its limit is ${this.#most}.`;
        this.#work.scope.steps.emit({ kind: "notice", code: "limit-reached", message });
        break;
      }
      last = [...frontier.keys()];
      await this.#visit(frontier);
      frontier = await this.#next(last);
    }
    return this.#answer(last);
  }

  /** Nodes of one round are asked side by side. A failure is told once the others have settled. */
  async #visit(frontier: ReadonlyMap<string, readonly string[]>): Promise<void> {
    this.#visits += frontier.size;
    const settled = await Promise.allSettled(
      [...frontier].map(([name, sources]) => {
        const member = this.#graph.members.get(name) as Member; // edges are checked when defined
        const input = sources.length === 0 ? this.#work.scope.input : this.#answer(sources).text;
        return this.#work.ask(member, { input });
      }),
    );
    const interruption = interruptionOf(settled);
    if (interruption !== undefined) {
      throw interruption.reason;
    }
  }

  /** The nodes to which an edge is taken, with those that lead to them. */
  async #next(visited: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const next = new Map<string, string[]>();
    for (const { from, to, when } of this.#graph.edges) {
      const isTaken =
        visited.includes(from) &&
        (when === undefined ||
          (await this.#work.decide(`edge ${from} to ${to}`, () => when(this.#work.state))));
      if (isTaken && this.#mayJoin(to)) {
        next.set(to, [...(next.get(to) ?? []), from]);
      }
    }
    return new Map(
      [...next].map(([to, sources]) => [
        to,
        this.#graph.joins.has(to) ? this.#sourcesOf(to) : sources,
      ]),
    );
  }

  #mayJoin(to: string): boolean {
    const { results } = this.#work.state;
    return !this.#graph.joins.has(to) || this.#sourcesOf(to).every((from) => results.has(from));
  }

  #sourcesOf(to: string): readonly string[] {
    return [...new Set(this.#graph.edges.filter((edge) => edge.to === to).map(({ from }) => from))];
  }

  /** What nodes have answered, together. */
  #answer(names: readonly string[]): { readonly text: string; readonly output?: unknown } {
    const { results } = this.#work.state;
    const given = names.flatMap((name) => {
      const result = results.get(name);
      return result === undefined ? [] : [{ name, result }];
    });
    const [only] = given;
    if (only !== undefined && given.length === 1) {
      return { text: answerText(only.result), output: only.result.output };
    }
    return {
      text: given.map(({ name, result }) => `## ${name}\n\n${answerText(result)}`).join("\n\n"),
      output: Object.fromEntries(
        given.map(({ name, result }) => [name, result.output ?? result.text]),
      ),
    };
  }
}

function checkGraph(
  { nodes, edges, start, joins = [], maxVisits }: GraphDefinition,
  where: string,
): void {
  const names = Object.keys(nodes ?? {});
  if (names.length === 0 || !Array.isArray(edges)) {
    throw invalidAssembly(`The ${where} needs nodes, by their names, and a list of edges.`);
  }
  const known = (name: string, what: string): void => {
    if (!names.includes(name)) {
      throw invalidAssembly(
        `The ${where} has no node "${name}", which ${what}.${didYouMean(name, names)} Its nodes: ${names.join(", ")}.`,
      );
    }
  };
  known(start, "it is to start with");
  for (const { from, to } of edges) {
    known(from, "an edge comes from");
    known(to, "an edge goes to");
  }
  for (const name of joins) {
    known(name, "is to join");
  }
  const reached = reachableFrom(start, edges);
  const lost = names.filter((name) => !reached.has(name));
  if (lost.length > 0) {
    throw invalidAssembly(
      `No way leads from "${start}" to ${lost.map((name) => `"${name}"`).join(", ")} in the ${where}.`,
    );
  }
  if (maxVisits !== undefined && !(Number.isInteger(maxVisits) && maxVisits > 0)) {
    throw invalidAssembly(
      `maxVisits of the ${where} is ${maxVisits}; it must be a whole number above 0.`,
    );
  }
  if (maxVisits === undefined && hasCycle(names, edges)) {
    throw invalidAssembly(
      `The ${where} has a cycle: give it maxVisits, so that it comes to an end.`,
    );
  }
}
