import type { Assembly } from "../agent/assembly.ts";
import type { CompletedRun } from "../agent/run-result.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { didYouMean } from "../base/closest-name.ts";
import { answerText } from "./answer-text.ts";
import type { AssemblyState } from "./assembly-state.ts";
import type { AssemblyWork } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import { GraphShape } from "./graph-shape.ts";
import {
  invalidAssembly,
  type Member,
  type MemberEntry,
  type RuntimeNow,
  toMember,
} from "./member.ts";
import { askSideBySide } from "./side-by-side.ts";

/** A way from one node to another. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Whether it is taken once `from` has answered, which is then the state's `last`. Default: always. */
  readonly when?: (state: AssemblyState) => boolean | Promise<boolean>;
}

/** Members as nodes, and the ways between them. */
export interface GraphDefinition extends AssemblyHead {
  readonly nodes: Readonly<Record<string, MemberEntry>>;
  readonly edges: readonly GraphEdge[];
  /** The node that is asked first, what the graph is asked. */
  readonly start: string;
  /** Nodes that wait until nothing that is under way can lead to them any more, and are asked once then. */
  readonly joins?: readonly string[];
  /** The most times that nodes are asked, all together. Needed where the graph has a cycle. */
  readonly maxVisits?: number;
}

/**
 * Asks the start; then, side by side, each node to which an edge is taken, what those before it have
 * answered; and so on until no edge is taken. The answer is that of the nodes that were asked last. The
 * failure of one cancels those beside it.
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
    Object.entries(nodes ?? {}).map(([name, entry]) => [
      name,
      toMember(entry, `node "${name}" of the ${where}`, name),
    ]),
  );
  const shape = new GraphShape(Array.isArray(edges) ? edges : []);
  checkGraph(definition, shape, where);
  const graph: Graph = { members, edges, joins: new Set(joins), shape };
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
  readonly shape: GraphShape;
}

/** Nodes that are to be asked, with those whose answers they are asked. */
type Frontier = ReadonlyMap<string, readonly string[]>;

/** One run through a graph. */
class Walk {
  readonly #graph: Graph;
  readonly #work: AssemblyWork;
  readonly #most: number;
  /** Nodes that join, to which edges were taken since they were asked last. */
  readonly #waiting = new Map<string, readonly string[]>();
  #visits = 0;

  constructor(graph: Graph, work: AssemblyWork, most: number) {
    this.#graph = graph;
    this.#work = work;
    this.#most = most;
  }

  async from(start: string): Promise<{ readonly text: string; readonly output?: unknown }> {
    let frontier: Frontier = new Map([[start, []]]);
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

  async #visit(frontier: Frontier): Promise<void> {
    this.#visits += frontier.size;
    const questions = [...frontier].map(([name, sources]) => {
      const member = this.#graph.members.get(name) as Member; // edges are checked when defined
      const input = sources.length === 0 ? this.#work.scope.input : this.#answer(sources).text;
      return { member, turn: { input } };
    });
    await askSideBySide(questions, this.#work, { most: questions.length, failsFast: true });
  }

  /** The nodes that are asked next. */
  async #next(visited: readonly string[]): Promise<Frontier> {
    const next = new Map<string, readonly string[]>();
    for (const { from, to, when } of this.#graph.edges) {
      if (visited.includes(from) && (when === undefined || (await this.#isTaken(from, to, when)))) {
        const taken = this.#graph.joins.has(to) ? this.#waiting : next;
        taken.set(to, [...new Set([...(taken.get(to) ?? []), from])]);
      }
    }
    for (const [to, sources] of this.#released([...next.keys()])) {
      this.#waiting.delete(to);
      next.set(to, sources);
    }
    return next;
  }

  #isTaken(from: string, to: string, when: NonNullable<GraphEdge["when"]>): Promise<boolean> {
    const { state } = this.#work;
    const result = state.results.get(from) as CompletedRun; // it was just visited
    return this.#work.decide(`edge ${from} to ${to}`, async () =>
      Boolean(await when({ ...state, last: { name: from, result } })),
    );
  }

  /** Those who have waited for nodes that are under way, and need not any more. */
  #released(underWay: readonly string[]): readonly (readonly [string, readonly string[]])[] {
    const { shape } = this.#graph;
    const waiting = [...this.#waiting];
    const released = waiting.filter(([name]) =>
      [...underWay, ...this.#waiting.keys()].every(
        (other) => other === name || !shape.reachableFrom(other).has(name),
      ),
    );
    // Where they only wait for each other, all go on.
    return released.length === 0 && underWay.length === 0 ? waiting : released;
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
  shape: GraphShape,
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
  const reached = shape.reachableFrom(start);
  const lost = names.filter((name) => !reached.has(name));
  if (lost.length > 0) {
    throw invalidAssembly(
      `No way leads from "${start}" to ${lost.map((name) => `"${name}"`).join(", ")} in the ${where}.`,
    );
  }
  const place = { where: `of the ${where}`, code: "invalid-definition" } as const;
  checkNumbers({ maxVisits }, { maxVisits: "count" }, place);
  if (maxVisits === undefined && shape.hasCycle(names)) {
    throw invalidAssembly(
      `The ${where} has a cycle: give it maxVisits, so that it comes to an end.`,
    );
  }
}
