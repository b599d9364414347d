import { isTool } from "../tool/tool.ts";
import { isToolset, type Toolset } from "../tool/toolset.ts";
import type { AgentRuntime, McpEntry, ToolEntry } from "./agent-runtime.ts";
import { Catalogues } from "./catalogues.ts";
import { type Discovery, resolveDiscovery } from "./discovery.ts";
import { NamedTools, type RunTools, type WantedTools } from "./named-tools.ts";
import { type OpeningScope, RunServers } from "./open-toolsets.ts";
import { type Question, selectServers } from "./select-servers.ts";
import { resolveSelection, type Selection } from "./selection.ts";
import { ToolSearch } from "./tool-search.ts";

/** What one level says of tools and servers. */
export interface ToolLevel {
  readonly tools?: Selection<ToolEntry> | undefined;
  readonly mcp?: Selection<McpEntry> | undefined;
  /** Which of them are used, by what is asked; `"none"` uses all. The innermost that is given counts, whole. */
  readonly discovery?: Discovery | "none" | undefined;
}

/**
 * Resolves which tools a run has, opens its servers and gives every tool a name of its own.
 *
 * @param levels from the outermost to the innermost, the run's own last.
 * @param question what is asked, for discovery; without one all servers are opened, all tools shown.
 * @throws what `RunServers.check` throws; ConfigurationError where two native tools have one name.
 */
export async function openRunTools(
  levels: readonly ToolLevel[],
  opening: OpeningScope,
  question?: Question,
): Promise<RunTools> {
  const wanted = resolveWanted(levels, opening.runtime);
  const discovery = question === undefined ? undefined : resolveDiscovery(levels);
  if (question === undefined || discovery === undefined) {
    return openAll(wanted, wanted.servers, opening);
  }
  const catalogues = new Catalogues(opening.runtime, opening.binding);
  const scope = { ...opening, catalogues };
  const usedTools = new Set([...question.usedTools, ...(wanted.names ?? [])]);
  const asked = { ...question, usedTools };
  const { chosen, others } = await selectServers(wanted.servers, discovery, asked, scope);
  // What the application has chosen by name is not chosen again.
  const policy = wanted.silent || wanted.names !== undefined ? undefined : discovery.tools;
  return openAll(wanted, chosen, scope, async (tools) => {
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
    tools.update();
    return tools;
  } catch (thrown) {
    await servers.close();
    throw thrown;
  }
}

function resolveWanted(levels: readonly ToolLevel[], runtime: AgentRuntime): WantedTools {
  const tools = resolveSelection(levels.map((level) => level.tools));
  const mcp = resolveSelection(levels.map((level) => level.mcp));
  const entries = tools === "none" || tools === undefined ? [] : tools;
  const strings = entries.filter((entry) => typeof entry === "string");
  const registered = runtime.registeredTools.filter(({ name }) => strings.includes(name));
  const toolsets = entries.filter((entry): entry is Toolset => isToolset(entry) && !isTool(entry));
  return {
    native: [...entries.filter(isTool), ...registered],
    names:
      strings.length === 0
        ? undefined
        : strings.filter((name) => !registered.some((tool) => tool.name === name)),
    servers: mcp === "none" ? [] : [...(mcp ?? []), ...toolsets],
    silent: tools === "none",
  };
}
