import { didYouMean } from "../base/closest-name.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isTool, type Tool } from "../tool/tool.ts";
import { normalizeToolName, uniqueToolNames } from "../tool/tool-names.ts";
import { isToolset, type Toolset } from "../tool/toolset.ts";
import type { AgentRuntime, McpEntry, ToolEntry } from "./agent-runtime.ts";
import { type OpenedServers, type OpeningScope, openToolsets } from "./open-toolsets.ts";
import { resolveSelection, type Selection } from "./selection.ts";

/** What one level says of tools and servers. */
export interface ToolLevel {
  readonly tools?: Selection<ToolEntry> | undefined;
  readonly mcp?: Selection<McpEntry> | undefined;
}

/** The tools of one run, ready to be called, and what must be closed after it. */
export interface RunTools {
  /** By the name that the model sees. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly servers: OpenedServers;
}

/** What a run asks for, resolved. */
interface Wanted {
  readonly native: readonly Tool[];
  /** Names that choose among the servers' tools; `undefined` means all of them. */
  readonly names: readonly string[] | undefined;
  readonly servers: readonly McpEntry[];
  /** `tools: "none"`: nothing is sent to the model, whatever is connected. */
  readonly silent: boolean;
}

/**
 * Resolves which tools a run has, opens its servers and gives every tool a name of its own.
 *
 * @param levels from the outermost to the innermost, the run's own last.
 */
export async function openRunTools(
  levels: readonly ToolLevel[],
  scope: OpeningScope,
): Promise<RunTools> {
  const wanted = resolveWanted(levels, scope.runtime);
  const servers = await openToolsets(wanted.servers, scope);
  try {
    const native = wanted.native.map((tool): OfferedTool => ({ tool, server: undefined }));
    const tools = wanted.silent ? [] : [...native, ...chosenTools(wanted, servers, scope)];
    return { tools: named(tools, scope), servers };
  } catch (thrown) {
    await servers.close();
    throw thrown;
  }
}

/** A tool and the alias of the server that it comes from. */
interface OfferedTool {
  readonly tool: Tool;
  readonly server: string | undefined;
}

function resolveWanted(levels: readonly ToolLevel[], runtime: AgentRuntime): Wanted {
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

function chosenTools(
  { names }: Wanted,
  servers: OpenedServers,
  scope: OpeningScope,
): readonly OfferedTool[] {
  const offered = servers.open.flatMap(({ toolset, prefix, name: server }) =>
    toolset.tools.map((tool): OfferedTool => {
      const name = normalizeToolName(`${server}_${tool.name}`);
      return { tool: prefix ? tool.with({ name }) : tool, server };
    }),
  );
  if (names === undefined) {
    return offered;
  }
  for (const name of names.filter((name) => !offered.some((one) => answersTo(one, name)))) {
    const hint = didYouMean(
      name,
      offered.map(({ tool }) => tool.name),
    );
    scope.steps.emit({
      kind: "notice",
      code: "tool-missing",
      message: `No tool is called "${name}".${hint}`,
    });
  }
  return offered.filter((one) => names.some((name) => answersTo(one, name)));
}

const answersTo = ({ tool }: OfferedTool, name: string): boolean =>
  tool.name === name || tool.source?.name === name;

/** The tools by the names that the model will see, all different. */
function named(
  offered: readonly OfferedTool[],
  { steps, binding }: OpeningScope,
): ReadonlyMap<string, Tool> {
  const names = uniqueToolNames(offered.map(({ tool, server }) => ({ name: tool.name, server })));
  const byName = new Map<string, Tool>();
  offered.forEach(({ tool, server }, index) => {
    const name = names[index] ?? tool.name; // one name for each tool
    if (byName.has(name)) {
      throw new ConfigurationError(
        `Two tools of agent "${binding.agent.name}" are called "${name}". Rename one of them.`,
        { code: "invalid-definition" },
      );
    }
    if (name !== tool.name) {
      steps.emit({
        kind: "notice",
        code: "tool-renamed",
        message: `Tool "${tool.name}" of "${server}" is called "${name}" in this run, since its own name is taken or not valid.`,
      });
    }
    byName.set(name, name === tool.name ? tool : tool.with({ name }));
  });
  return byName;
}
