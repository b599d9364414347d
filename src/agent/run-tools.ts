import { didYouMean } from "../base/closest-name.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { LookAlikes } from "../tool/look-alike.ts";
import { isTool, type Tool } from "../tool/tool.ts";
import { normalizeToolName, uniqueToolNames } from "../tool/tool-names.ts";
import { isToolset, type Toolset } from "../tool/toolset.ts";
import type { AgentRuntime, McpEntry, ToolEntry } from "./agent-runtime.ts";
import { participantOf } from "./assembly.ts";
import { delegateTool } from "./delegate-tool.ts";
import { type OpenedServer, type OpeningScope, RunServers } from "./open-toolsets.ts";
import type { ParticipantScope } from "./participant.ts";
import { resolveSelection, type Selection } from "./selection.ts";

/** What one level says of tools and servers. */
export interface ToolLevel {
  readonly tools?: Selection<ToolEntry> | undefined;
  readonly mcp?: Selection<McpEntry> | undefined;
}

/** The servers that a run with these levels would open. */
export const wantedServers = (
  levels: readonly ToolLevel[],
  { runtime }: { readonly runtime: AgentRuntime },
): readonly McpEntry[] => resolveWanted(levels, { runtime }).servers;

/** The tools of one run, and what must be closed after it. */
export interface RunTools {
  /** By the name that the model sees. Grows by {@link update} only. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly servers: RunServers;
  /** Adds the tools of servers that have become ready. @throws what `RunServers.check` throws. */
  update(): void;
  /** Adds a tool of Dragoman's own. @returns whether the run has it: not where its name is taken. */
  add(tool: Tool): boolean;
  /** Waits for all servers, then updates. @throws what `RunServers.check` throws. */
  complete(): Promise<void>;
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
 * @throws what `RunServers.check` throws; ConfigurationError where two native tools have one name.
 */
export async function openRunTools(
  levels: readonly ToolLevel[],
  scope: OpeningScope,
): Promise<RunTools> {
  const wanted = resolveWanted(levels, scope);
  const servers = new RunServers(wanted.servers, scope);
  try {
    await servers.ready();
    const tools = new NamedTools(wanted, servers, scope);
    tools.update();
    return tools;
  } catch (thrown) {
    await servers.close();
    throw thrown;
  }
}

/** Tools by the names that the model sees, all different. A name that was given stays. */
class NamedTools implements RunTools {
  readonly servers: RunServers;
  readonly #tools = new Map<string, Tool>();
  readonly #wanted: Wanted;
  readonly #scope: OpeningScope;
  /** How many of the open servers are in. */
  #included = 0;
  #missingTold = false;
  readonly #lookAlikes = new LookAlikes();

  constructor(wanted: Wanted, servers: RunServers, scope: OpeningScope) {
    this.servers = servers;
    this.#wanted = wanted;
    this.#scope = scope;
    if (!wanted.silent) {
      this.#add(wanted.native.map((tool) => ({ tool, server: undefined })));
    }
  }

  get tools(): ReadonlyMap<string, Tool> {
    return this.#tools;
  }

  update(): void {
    this.servers.check();
    const { open } = this.servers;
    if (this.#wanted.silent || (this.#included === open.length && this.#missingTold)) {
      return;
    }
    const added = chosenTools(this.#wanted, open.slice(this.#included));
    this.#included = open.length;
    this.#add(added);
    this.#tellMissing();
  }

  async complete(): Promise<void> {
    await this.servers.complete();
    this.update();
  }

  add(tool: Tool): boolean {
    if (!this.#wanted.silent && !this.#tools.has(tool.name)) {
      this.#tools.set(tool.name, tool);
    }
    return this.#tools.get(tool.name) === tool;
  }

  #add(offered: readonly OfferedTool[]): void {
    const honest = offered.filter((one) => !this.#isLookAlike(one));
    for (const [name, tool] of named(honest, this.#tools, this.#scope)) {
      this.#tools.set(name, tool);
    }
  }

  /** A name that can be mistaken for one that is there already is a server's way to get its calls. */
  #isLookAlike({ tool: { name }, server }: OfferedTool): boolean {
    const known = this.#lookAlikes.meet({ name, server });
    if (known === undefined) {
      return false;
    }
    const whose = known.server === undefined ? "" : ` of "${known.server}"`;
    this.#scope.steps.emit({
      kind: "notice",
      code: "tool-look-alike",
      message: `Tool "${name}" of "${server}" is left out, since its name can be mistaken for "${known.name}"${whose}. Give it another name with mapTool, or its toolset a prefix.`,
    });
    return true;
  }

  /** Once all servers have answered, names that were asked for and that nobody has. */
  #tellMissing(): void {
    if (this.#missingTold || !this.servers.settled) {
      return;
    }
    this.#missingTold = true;
    const offered = offeredTools(this.servers.open);
    for (const name of this.#wanted.names ?? []) {
      if (!offered.some((one) => answersTo(one, name))) {
        const known = offered.map(({ tool }) => tool.name);
        this.#scope.steps.emit({
          kind: "notice",
          code: "tool-missing",
          message: `No tool is called "${name}".${didYouMean(name, known)}`,
        });
      }
    }
  }
}

/** A tool and the alias of the server that it comes from. */
interface OfferedTool {
  readonly tool: Tool;
  readonly server: string | undefined;
}

function resolveWanted(
  levels: readonly ToolLevel[],
  { runtime, participant }: Pick<OpeningScope, "runtime" | "participant">,
): Wanted {
  const tools = resolveSelection(levels.map((level) => level.tools));
  const mcp = resolveSelection(levels.map((level) => level.mcp));
  const entries = tools === "none" || tools === undefined ? [] : tools;
  const strings = entries.filter((entry) => typeof entry === "string");
  const registered = runtime.registeredTools.filter(({ name }) => strings.includes(name));
  const toolsets = entries.filter((entry): entry is Toolset => isToolset(entry) && !isTool(entry));
  return {
    native: [...entries.flatMap((entry) => nativeTool(entry, participant)), ...registered],
    names:
      strings.length === 0
        ? undefined
        : strings.filter((name) => !registered.some((tool) => tool.name === name)),
    servers: mcp === "none" ? [] : [...(mcp ?? []), ...toolsets],
    silent: tools === "none",
  };
}

/** An entry that is a tool by itself, or becomes one. */
function nativeTool(entry: ToolEntry, scope: ParticipantScope | undefined): readonly Tool[] {
  if (typeof entry === "string") {
    return [];
  }
  const asked = participantOf(entry);
  if (asked !== undefined) {
    return [delegateTool(asked, scope)];
  }
  return isTool(entry) ? [entry] : [];
}

function offeredTools(servers: readonly OpenedServer[]): readonly OfferedTool[] {
  return servers.flatMap(({ toolset, prefix, name: server }) =>
    toolset.tools.map((tool): OfferedTool => {
      const name = normalizeToolName(`${server}_${tool.name}`);
      return { tool: prefix ? tool.with({ name }) : tool, server };
    }),
  );
}

function chosenTools({ names }: Wanted, servers: readonly OpenedServer[]): readonly OfferedTool[] {
  const offered = offeredTools(servers);
  return names === undefined
    ? offered
    : offered.filter((one) => names.some((name) => answersTo(one, name)));
}

const answersTo = ({ tool }: OfferedTool, name: string): boolean =>
  tool.name === name || tool.source?.name === name;

/** Tools by names that are all different, also from those that are taken. */
function named(
  offered: readonly OfferedTool[],
  taken: ReadonlyMap<string, Tool>,
  { steps, binding }: OpeningScope,
): ReadonlyMap<string, Tool> {
  const standing = [...taken.keys()].map((name) => ({ name, server: undefined }));
  const asked = offered.map(({ tool, server }) => ({ name: tool.name, server }));
  const names = uniqueToolNames([...standing, ...asked]).slice(standing.length);
  const byName = new Map<string, Tool>();
  offered.forEach(({ tool, server }, index) => {
    const name = names[index] ?? tool.name; // one name for each tool
    if (byName.has(name) || taken.has(name)) {
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
