import type { ToolCallPart } from "../message/content.ts";
import { chooseServers } from "../tool/choose-servers.ts";
import { chooseTools, type ToolCandidate, type ToolDecision } from "../tool/choose-tools.ts";
import { choiceOf, defineFindTools, type FoundTools } from "../tool/find-tools.ts";
import { findToolsName } from "../tool/own-tools.ts";
import { rankTools } from "../tool/rank-tools.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { Discovery, ToolDiscovery } from "./discovery.ts";
import type { OpeningScope } from "./open-server.ts";
import type { RunServers } from "./run-servers.ts";
import { type KnownServer, type Question, scoringScope } from "./select-servers.ts";
import { traced } from "./traced.ts";

/** A run's tools, of which not all are shown to the model. */
export interface HidingTools {
  readonly servers: RunServers;
  /** The servers' tools. */
  readonly candidates: readonly ToolCandidate[];
  isShown(name: string): boolean;
  /** Shows tools from the next step on. A name that is not there is passed over. */
  show(names: readonly string[]): void;
  /** Takes in the tools of servers that have become ready. */
  update(): Promise<void>;
}

/** What a search of tools works with. */
export interface ToolSearchOptions {
  readonly discovery: Discovery & { readonly tools: ToolDiscovery };
  readonly question: Question;
  /** Servers that are not connected. */
  readonly others: readonly KnownServer[];
  /** Names of all servers. */
  readonly servers: readonly string[];
  readonly tools: HidingTools;
  readonly scope: OpeningScope;
}

/** No more tools than so many come of one search. */
const mostFound = 8;

/** No more servers than so many are connected by one search to learn what tools they have. */
const mostAsked = 4;

/** Chooses the tools that a model is shown, and searches the others for it. */
export class ToolSearch {
  readonly #options: ToolSearchOptions;

  constructor(options: ToolSearchOptions) {
    this.#options = options;
  }

  /** Shows the tools for the question, as one step; those that the conversation has used stay. */
  async begin(): Promise<void> {
    const { question, tools, discovery, scope } = this.#options;
    const { limit, scorer } = discovery.tools;
    const options = { limit, scorer, ...scoringScope(scope) };
    const { signal } = scope.binding;
    const choice = await scope.steps.run("discover:tools", () =>
      traced(
        { span: scope.participant?.span, signal },
        () => ({ kind: "discovery", of: "tools" }),
        async (span) => {
          const made = await chooseTools(question.message, tools.candidates, options);
          span?.set({ count: made.tools.length });
          return made;
        },
      ),
    );
    tools.show(choice.tools.map(({ name }) => name));
    tools.show([...question.usedTools]);
    scope.steps.emit({ kind: "discovery-end", of: "tools", ...choice });
  }

  /** Whether the model can go on with what it finds. */
  get canFind(): boolean {
    return this.#options.question.goesOn;
  }

  /** Whether there is anything that could be found. */
  get isUseful(): boolean {
    const { tools, others } = this.#options;
    const isHidden = tools.candidates.some(({ name }) => !tools.isShown(name));
    return isHidden || others.length > 0 || !tools.servers.settled;
  }

  /** The tool that searches. */
  get findTools(): Tool {
    return defineFindTools(this.#options.servers, (query) => this.#find(query));
  }

  /**
   * Shows what the calls of a turn have found. It goes by the results alone, so that a run which is
   * resumed and does not search again has the same tools.
   */
  async learn(calls: readonly ToolCallPart[], results: readonly ToolResult[]): Promise<void> {
    const { others, tools, scope } = this.#options;
    for (const [index, result] of results.entries()) {
      const choice = calls[index]?.name === findToolsName ? choiceOf(result) : undefined;
      if (choice !== undefined) {
        const wanted = new Set(choice.tools.map(({ server }) => server));
        await this.#connect(others.filter(({ entry }) => wanted.has(entry.name)));
        tools.show(choice.tools.map(({ name }) => name));
        scope.steps.emit({ kind: "discovery-end", of: "tools", ...choice });
      }
    }
  }

  async #find(query: string): Promise<FoundTools> {
    const { tools } = this.#options;
    await this.#connect(await this.#worthAsking(query));
    const { best, unconnected, ...how } = await this.#rank(query);
    const found = new Set(best.map(({ document }) => document));
    const wanted = unconnected.filter(({ document }) =>
      document.tools?.some((tool) => found.has(tool)),
    );
    await this.#connect(wanted);
    const chosen = best.flatMap(({ document, score }) => {
      const candidate = tools.candidates.find((one) => isOf(one, document));
      return candidate === undefined ? [] : [{ candidate, score }];
    });
    const reached = new Set(tools.servers.open.map(({ name }) => name));
    return {
      choice: {
        reason: "found",
        query,
        ...how,
        tools: chosen.map(({ candidate: { name, server }, score }) => ({ name, server, score })),
      },
      descriptions: chosen.map(({ candidate }) => candidate.document.description),
      unreachable: wanted.map(({ entry }) => entry.name).filter((name) => !reached.has(name)),
    };
  }

  /** The best tools that are not shown, of servers that are connected and of those that are not. */
  async #rank(query: string): Promise<Ranking> {
    const { tools, discovery, scope } = this.#options;
    const { limit, scorer } = discovery.tools;
    const unconnected = this.#unconnected();
    const known = unconnected.flatMap(({ document }) => document.tools ?? []);
    const { candidates } = tools;
    const shown = new Set(
      candidates.filter(({ name }) => tools.isShown(name)).map(({ document }) => document),
    );
    // With those that are shown: for the same documents a scorer has its index already.
    const documents = [...candidates.map(({ document }) => document), ...known];
    const most = Math.min(limit, mostFound);
    const options = { limit: most + shown.size, scorer, ...scoringScope(scope) };
    const { ranked, ...how } = await rankTools(query, documents, options);
    const best = ranked.flatMap(({ index, score }) => {
      const document = documents[index];
      return document === undefined || shown.has(document) ? [] : [{ document, score }];
    });
    const among = documents.length - shown.size;
    return { ...how, best: best.slice(0, most), unconnected, among };
  }

  #unconnected(): readonly KnownServer[] {
    const { others, tools } = this.#options;
    return others.filter(({ entry }) => !tools.servers.isBegun(entry.name));
  }

  /** Servers whose tools nobody knows, but whose description fits. */
  async #worthAsking(query: string): Promise<readonly KnownServer[]> {
    const { discovery, scope } = this.#options;
    const unknown = this.#unconnected().filter(({ document }) => document.tools === undefined);
    const policy = typeof discovery.servers === "object" ? discovery.servers : {};
    const documents = unknown.map(({ document }) => document);
    const choice = await chooseServers(query, documents, policy, scoringScope(scope));
    if (choice.reason !== "chosen") {
      return [];
    }
    const best = choice.servers
      .map(({ chosen, score = 0 }, index) => ({ server: unknown[index], chosen, score }))
      .filter(({ chosen }) => chosen)
      .toSorted((left, right) => right.score - left.score);
    return best.slice(0, mostAsked).flatMap(({ server }) => (server === undefined ? [] : [server]));
  }

  async #connect(wanted: readonly KnownServer[]): Promise<void> {
    const { tools } = this.#options;
    await Promise.all(wanted.map(({ entry }) => tools.servers.connect(entry)));
    await tools.update();
  }
}

/** What fits a search. */
interface Ranking extends Pick<ToolDecision, "scorer" | "problem" | "among"> {
  readonly best: readonly { readonly document: ScoredDocument; readonly score: number }[];
  readonly unconnected: readonly KnownServer[];
}

/** Whether a tool of the run is what a document of a catalogue, or its own, describes. */
const isOf = ({ server, document }: ToolCandidate, wanted: ScoredDocument): boolean =>
  document === wanted || (server === wanted.server?.name && document.name === wanted.name);
