import { untilAborted } from "../base/abort.ts";
import { chooseServers, type ServerDecision } from "../tool/choose-servers.ts";
import type { ScoringScope } from "../tool/score-documents.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import { isToolset } from "../tool/toolset.ts";
import type { Discovery } from "./discovery.ts";
import type { OpeningScope } from "./open-server.ts";
import { refuseDuplicates } from "./run-servers.ts";
import type { McpEntry } from "./tool-level.ts";
import { traced } from "./traced.ts";

/** What a run is asked, for discovery. */
export interface Question {
  readonly message: string;
  /** Names of tools that the conversation has called: what was used may be needed again. */
  readonly usedTools: ReadonlySet<string>;
  /** Whether the model can call tools that it is shown later: not where it has made its plan. */
  readonly goesOn: boolean;
}

/** The servers of a run. */
export interface SelectedServers {
  /** Those that are connected from the beginning. */
  readonly chosen: readonly McpEntry[];
  /** The others, which are connected where one of their tools is found. */
  readonly others: readonly KnownServer[];
  /** The name of the one that fits best, if any does: the run needs it more than the fastest one. */
  readonly best: readonly string[];
}

/** A server and what is known of it without a connection. */
export interface KnownServer {
  readonly entry: McpEntry;
  readonly document: ScoredDocument;
}

/**
 * Chooses the servers that the question is for, as one step.
 *
 * @throws the signal's reason; ConfigurationError where two servers have one name.
 */
export async function selectServers(
  entries: readonly McpEntry[],
  { servers: policy = false }: Discovery,
  { message, usedTools }: Question,
  scope: OpeningScope,
): Promise<SelectedServers> {
  if (policy === false || entries.length === 0) {
    return { chosen: entries, others: [], best: [] };
  }
  refuseDuplicates(entries);
  const known = await Promise.all(entries.map((entry) => know(entry, scope)));
  const scored = known.map(({ document }) => document);
  const { signal } = scope.binding;
  const choose = async (): Promise<ServerDecision> => {
    const made = await chooseServers(
      message,
      scored,
      policy === true ? {} : policy,
      scoringScope(scope),
    );
    return keeping(made, scored, usedTools);
  };
  const choice = await scope.steps.run("discover:servers", () =>
    traced(
      { span: scope.participant?.span, signal },
      () => ({ kind: "discovery", of: "servers" }),
      async (span) => {
        const made = await choose();
        span?.set({ count: made.servers.filter(({ chosen }) => chosen).length });
        return made;
      },
    ),
  );
  scope.steps.emit({ kind: "discovery-end", of: "servers", ...choice });
  const left = new Set(choice.servers.flatMap(({ name, chosen }) => (chosen ? [] : [name])));
  return {
    chosen: entries.filter(({ name }) => !left.has(name)),
    others: known.filter(({ entry }) => left.has(entry.name)),
    best: choice.reason === "chosen" ? bestOf(choice) : [],
  };
}

function bestOf({ servers }: ServerDecision): readonly string[] {
  const [best] = servers.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0));
  return best === undefined ? [] : [best.name];
}

/** What scorers of a run go by. */
export const scoringScope = ({ binding, runtime }: OpeningScope): ScoringScope => ({
  signal: binding.signal,
  clock: runtime.clock,
});

async function know(
  entry: McpEntry,
  { catalogues, runtime, binding }: OpeningScope,
): Promise<KnownServer> {
  const { name, description = "" } = entry;
  const find = async (): Promise<readonly ScoredDocument[] | undefined> =>
    catalogues?.find(isToolset(entry) ? entry : await runtime.toToolset(entry));
  // A configuration that is at fault is told when the server is opened.
  const tools = await untilAborted(find(), binding.signal).catch(() => undefined);
  const before = documents.get(entry);
  const isSame = before !== undefined && before.tools === tools;
  const document = isSame ? before : { name, description, tools };
  documents.set(entry, document);
  return { entry, document };
}

/** The same for the same server, as long as its tools stay. */
const documents = new WeakMap<McpEntry, ScoredDocument>();

/** A server stays that is known to have a tool which is wanted. */
function keeping(
  choice: ServerDecision,
  documents: readonly ScoredDocument[],
  wanted: ReadonlySet<string>,
): ServerDecision {
  return {
    ...choice,
    servers: choice.servers.map((server, index) => ({
      ...server,
      chosen: server.chosen || (documents[index]?.tools ?? []).some(({ name }) => wanted.has(name)),
    })),
  };
}
