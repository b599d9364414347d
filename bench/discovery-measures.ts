import { systemClock } from "../src/base/clock.ts";
import { chooseServers } from "../src/tool/choose-servers.ts";
import { defineFindTools } from "../src/tool/find-tools.ts";
import { rankTools } from "../src/tool/rank-tools.ts";
import type { ScoredDocument, ScorerChoice } from "../src/tool/scorer.ts";
import { summarize } from "./statistics.ts";

/** Servers as they publish their tools. */
export interface ServerList {
  readonly servers: readonly {
    readonly name: string;
    readonly description?: string;
    readonly tools: readonly {
      readonly name: string;
      readonly description?: string;
      readonly inputSchema: { readonly [keyword: string]: unknown };
    }[];
  }[];
}

/** Servers, and tasks with the tools that solve them. */
export interface DiscoveryData extends ServerList {
  readonly tasks: readonly {
    readonly question: string;
    readonly steps: readonly string[];
    readonly tools: readonly string[];
  }[];
}

/** How many tools are looked at. */
type Depth = 10 | 20;

/** Means over all tasks; shares are from 0 to 1. */
export interface DiscoveryMeasures {
  /** The share of a task's tools that are among the best so many. */
  readonly recalls: Readonly<Record<"question" | "steps", Readonly<Record<Depth, number>>>>;
  /** The share of a task's tools that live on the servers chosen for its question. */
  readonly coverage: number;
  readonly serversChosen: number;
  /** The size of the definitions of the best 20 tools and of `find_tools`, beside that of all. */
  readonly promptShare: number;
  /** CPU time of one question among 10,000 tools, the index standing; the median. */
  readonly queryMs: number;
}

/** Searches for every task, as a run would whose servers' catalogues are known. */
export async function measureDiscovery(
  data: DiscoveryData,
  scorer: ScorerChoice,
): Promise<DiscoveryMeasures> {
  const servers = toDocuments(data);
  const tools = servers.flatMap((server) => server.tools ?? []);
  const sizes = tools.map(definitionSize);
  const names = servers.map(({ name }) => name);
  const finderSize = definitionSize(defineFindTools(names, unused));
  const best = async (message: string): Promise<readonly number[]> =>
    (await rankTools(message, tools, { limit: 20, scorer, ...scope })).ranked.map(
      ({ index }) => index,
    );
  const found = await Promise.all(
    data.tasks.map(async (task) => {
      const byQuestion = await best(task.question);
      const bySteps = await best(task.steps.join("\n"));
      const chosen = (await chooseServers(task.question, servers, { scorer }, scope)).servers;
      const names = (indexes: readonly number[]): readonly string[] =>
        indexes.map((index) => tools[index]?.name ?? "");
      const offered = servers.filter((_, index) => chosen[index]?.chosen);
      return {
        question10: recall(task.tools, names(byQuestion.slice(0, 10))),
        question20: recall(task.tools, names(byQuestion.slice(0, 20))),
        steps10: recall(task.tools, names(bySteps.slice(0, 10))),
        steps20: recall(task.tools, names(bySteps.slice(0, 20))),
        coverage: recall(
          task.tools,
          offered.flatMap((server) => (server.tools ?? []).map(({ name }) => name)),
        ),
        servers: offered.length,
        size: byQuestion.slice(0, 20).reduce((sum, index) => sum + (sizes[index] ?? 0), finderSize),
      };
    }),
  );
  const mean = (figure: keyof (typeof found)[number]): number =>
    found.reduce((sum, one) => sum + one[figure], 0) / found.length;
  return {
    recalls: {
      question: { 10: mean("question10"), 20: mean("question20") },
      steps: { 10: mean("steps10"), 20: mean("steps20") },
    },
    coverage: mean("coverage"),
    serversChosen: mean("servers"),
    promptShare: mean("size") / sizes.reduce((sum, size) => sum + size, 0),
    queryMs: await timeQueries(data, tools, scorer),
  };
}

const scope = { signal: new AbortController().signal, clock: systemClock };

function toDocuments({ servers }: ServerList): readonly ScoredDocument[] {
  return servers.map(({ name, description = "", tools }) => ({
    name,
    description,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description ?? "",
      parameters: tool.inputSchema,
      server: { name, description },
    })),
  }));
}

const recall = (needed: readonly string[], found: readonly string[]): number =>
  needed.filter((name) => found.includes(name)).length / needed.length;

/** Nobody calls the tool here. */
const unused = async (): Promise<never> => {
  throw new Error("not called");
};

/** In characters, which are in proportion to tokens. */
const definitionSize = ({ name, description, parameters }: ScoredDocument): number =>
  JSON.stringify({ name, description, inputSchema: parameters }).length;

/** The tools again and again, under other names, until there are so many. */
const manyTools = 10_000;

async function timeQueries(
  { tasks }: DiscoveryData,
  tools: readonly ScoredDocument[],
  scorer: ScorerChoice,
): Promise<number> {
  const many = Array.from({ length: manyTools }, (_, index) => {
    const tool = tools[index % tools.length] as ScoredDocument; // there is at least one
    return { ...tool, name: `${tool.name}_${Math.floor(index / tools.length)}` };
  });
  const ask = async (): Promise<readonly number[]> => {
    const times: number[] = [];
    for (const { question } of tasks) {
      const before = process.cpuUsage();
      await rankTools(question, many, { limit: 20, scorer, ...scope });
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    return times;
  };
  await ask(); // builds the index and warms the machine up
  return summarize(await ask()).median;
}
