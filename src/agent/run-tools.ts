import { Catalogues } from "./catalogues.ts";
import { resolveDiscovery } from "./discovery.ts";
import { NamedTools, type RunTools } from "./named-tools.ts";
import type { OpeningScope } from "./open-server.ts";
import { RunServers } from "./run-servers.ts";
import { type Question, selectServers } from "./select-servers.ts";
import type { McpEntry, ToolLevels } from "./tool-level.ts";
import { ToolSearch } from "./tool-search.ts";
import { type WantedTools, wantedTools } from "./wanted-tools.ts";

/**
 * Resolves which tools a run has, opens its servers and gives every tool a name of its own.
 *
 * @param question what is asked, for discovery; without one all servers are opened, all tools shown.
 * @throws what `RunServers.check` throws; ConfigurationError where two native tools have one name.
 */
export async function openRunTools(
  levels: ToolLevels,
  opening: OpeningScope,
  question?: Question,
): Promise<RunTools> {
  const all = wantedTools(levels, opening);
  // Who has ended before calls no server any more: its calls are looked up. A plan is checked anew.
  const isOver = opening.steps.isSealed && question?.goesOn === true;
  const wanted = isOver ? { ...all, servers: [] } : all;
  const discovery = question === undefined || isOver ? undefined : resolveDiscovery(levels.levels);
  if (question === undefined || discovery === undefined) {
    return openAll(wanted, wanted.servers, opening);
  }
  const catalogues = new Catalogues(opening.runtime, opening.binding);
  const scope = { ...opening, catalogues };
  const usedTools = new Set([...question.usedTools, ...(wanted.names ?? [])]);
  const asked = { ...question, usedTools };
  const { chosen, others, best } = await selectServers(wanted.servers, discovery, asked, scope);
  // What the application has chosen by name is not chosen again.
  const policy = wanted.silent || wanted.names !== undefined ? undefined : discovery.tools;
  return openAll(wanted, chosen, { ...scope, awaited: best }, async (tools) => {
    if (policy !== undefined) {
      const servers = wanted.servers.map(({ name }) => name);
      const options = { discovery: { ...discovery, tools: policy }, others, servers, tools };
      await tools.hide(new ToolSearch({ ...options, question: asked, scope }), policy.limit);
    }
  });
}

async function openAll(
  wanted: WantedTools,
  entries: readonly McpEntry[],
  scope: OpeningScope,
  prepare: (tools: NamedTools) => Promise<void> = async () => {},
): Promise<RunTools> {
  const servers = new RunServers(entries, scope);
  try {
    await servers.ready();
    const tools = new NamedTools(wanted, servers, scope);
    await prepare(tools);
    await tools.update();
    return tools;
  } catch (thrown) {
    await servers.close();
    throw thrown;
  }
}
