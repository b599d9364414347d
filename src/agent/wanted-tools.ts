import { isTool, type Tool } from "../tool/tool.ts";
import { isToolset, type Toolset } from "../tool/toolset.ts";
import { participantOf } from "./create-assembly.ts";
import { delegateTool } from "./delegate-tool.ts";
import type { OpeningScope } from "./open-server.ts";
import { resolveSelection, type Selection } from "./selection.ts";
import type { McpEntry, ToolEntry, ToolLevel, ToolLevels } from "./tool-level.ts";

/** Whether a run itself, or whoever asks within it, has said which tools or servers it has. */
export function isNarrowed({ levels, narrowing }: ToolLevels): boolean {
  return [...levels.slice(-1), ...narrowing].some(({ tools = "inherit", mcp = "inherit" }) =>
    [tools, mcp].some((selection) => selection !== "inherit"),
  );
}

/** What a run asks for, resolved. */
export interface WantedTools {
  readonly native: readonly Tool[];
  /** Names that choose among the servers' tools; `undefined` means all of them. */
  readonly names: readonly string[] | undefined;
  readonly servers: readonly McpEntry[];
  /** `tools: "none"`: nothing is sent to the model, whatever is connected. */
  readonly silent: boolean;
}

/** What the entries of `tools` come to, by their kinds. */
interface SortedEntries {
  readonly native: readonly Tool[];
  readonly toolsets: readonly Toolset[];
  /** Names that no registered tool has. */
  readonly names: readonly string[];
  readonly hasNames: boolean;
}

/** Resolves what a run has, from what its levels say. */
export function wantedTools(
  { levels, narrowing }: ToolLevels,
  scope: Pick<OpeningScope, "runtime" | "participant">,
): WantedTools {
  const tools = resolveSelection(levels.map((level) => level.tools));
  const mcp = resolveSelection(levels.map((level) => level.mcp));
  const { native, toolsets, names, hasNames } = sortEntries(tools, scope);
  const wanted: WantedTools = {
    native,
    names: hasNames ? names : undefined,
    servers: mcp === "none" ? [] : [...(mcp ?? []), ...toolsets],
    silent: tools === "none",
  };
  const left = narrowing.reduce((rest, level) => narrow(rest, level, scope), wanted);
  const extra = scope.participant?.extraTools ?? [];
  return extra.length === 0 ? left : withExtra(left, extra);
}

/** Tools that an assembly gives are there whatever the levels say; nothing else is where they say none. */
const withExtra = (wanted: WantedTools, extra: readonly Tool[]): WantedTools => ({
  native: [...(wanted.silent ? [] : wanted.native), ...extra],
  names: wanted.silent ? [] : wanted.names,
  servers: wanted.servers,
  silent: false,
});

function narrow(
  wanted: WantedTools,
  { tools, mcp }: ToolLevel,
  scope: Pick<OpeningScope, "runtime" | "participant">,
): WantedTools {
  const hasServer = ({ name }: McpEntry): boolean =>
    mcp === undefined ||
    mcp === "inherit" ||
    (mcp !== "none" && mcp.some((one) => one.name === name));
  const servers = wanted.servers.filter(hasServer);
  if (tools === undefined || tools === "inherit") {
    return { ...wanted, servers };
  }
  const { native, toolsets, names } = sortEntries(tools, scope);
  const allowed = [...native.map(({ name }) => name), ...names];
  const opened = new Set(toolsets.map(({ name }) => name));
  const isNamed = (name: string): boolean => allowed.includes(name);
  return {
    native: wanted.native.filter(({ name }) => isNamed(name)),
    names:
      opened.size > 0 && names.length === 0
        ? wanted.names
        : (wanted.names ?? names).filter(isNamed),
    servers:
      opened.size > 0 && names.length === 0
        ? servers.filter(({ name }) => opened.has(name))
        : servers,
    silent: wanted.silent || tools === "none",
  };
}

function sortEntries(
  tools: Selection<ToolEntry> | undefined,
  { runtime, participant }: Pick<OpeningScope, "runtime" | "participant">,
): SortedEntries {
  const entries = tools === undefined || typeof tools === "string" ? [] : tools;
  const strings = entries.filter((entry) => typeof entry === "string");
  const registered = runtime.registeredTools.filter(({ name }) => strings.includes(name));
  return {
    native: [...entries.flatMap((entry) => nativeTool(entry, participant)), ...registered],
    toolsets: entries.filter(
      (entry): entry is Toolset => typeof entry === "object" && isToolset(entry) && !isTool(entry),
    ),
    names: strings.filter((name) => !registered.some((tool) => tool.name === name)),
    hasNames: strings.length > 0,
  };
}

/** An entry that is a tool by itself, or becomes one. */
function nativeTool(entry: ToolEntry, scope: OpeningScope["participant"]): readonly Tool[] {
  if (typeof entry === "string") {
    return [];
  }
  const asked = participantOf(entry);
  if (asked !== undefined) {
    return [delegateTool(asked, scope)];
  }
  return isTool(entry) ? [entry] : [];
}
