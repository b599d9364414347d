import { chooseServers, type ServerChoice } from "../tool/choose-servers.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import { isToolset } from "../tool/toolset.ts";
import type { McpEntry } from "./agent-runtime.ts";
import type { Discovery } from "./discovery.ts";
import { type OpeningScope, refuseDuplicates } from "./open-toolsets.ts";

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
    return { chosen: entries, others: [] };
  }
  refuseDuplicates(entries);
  const known = await Promise.all(entries.map((entry) => know(entry, scope)));
  const documents = known.map(({ document }) => document);
  const { signal } = scope.binding;
  const choice = await scope.steps.run("discover:servers", async () => {
    const made = await chooseServers(message, documents, policy === true ? {} : policy, signal);
    return keeping(made, documents, usedTools);
  });
  scope.steps.emit({ kind: "discovery-end", of: "servers", ...choice });
  const left = new Set(choice.servers.flatMap(({ name, chosen }) => (chosen ? [] : [name])));
  return {
    chosen: entries.filter(({ name }) => !left.has(name)),
    others: known.filter(({ entry }) => left.has(entry.name)),
  };
}

async function know(entry: McpEntry, { catalogues, runtime }: OpeningScope): Promise<KnownServer> {
  const { name, description = "" } = entry;
  const find = async (): Promise<readonly ScoredDocument[] | undefined> =>
    catalogues?.find(isToolset(entry) ? entry : await runtime.toToolset(entry));
  // A configuration that is at fault is told when the server is opened.
  const tools = await find().catch(() => undefined);
  return { entry, document: { name, description, tools } };
}

/** A server stays that is known to have a tool which is wanted. */
function keeping(
  choice: ServerChoice,
  documents: readonly ScoredDocument[],
  wanted: ReadonlySet<string>,
): ServerChoice {
  return {
    ...choice,
    servers: choice.servers.map((server, index) => ({
      ...server,
      chosen: server.chosen || (documents[index]?.tools ?? []).some(({ name }) => wanted.has(name)),
    })),
  };
}
