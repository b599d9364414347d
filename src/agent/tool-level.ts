import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import type { Tool } from "../tool/tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { Assembly } from "./assembly.ts";
import type { Discovery } from "./discovery.ts";
import type { Selection } from "./selection.ts";

/**
 * What may stand in an agent's `tools`: a tool, a toolset, another agent or assembly, which becomes a
 * tool, or the name of a tool that is known elsewhere.
 */
export type ToolEntry = Tool | Toolset | Assembly | string;

/** What may stand in an agent's `mcp`. */
export type McpEntry = McpServerConfig | Toolset;

/** What one level says of tools and servers. */
export interface ToolLevel {
  readonly tools?: Selection<ToolEntry> | undefined;
  readonly mcp?: Selection<McpEntry> | undefined;
  /** Which of them are used, by what is asked; `"none"` uses all. The innermost that is given counts, whole. */
  readonly discovery?: Discovery | "none" | undefined;
}

/** What all levels say together. */
export interface ToolLevels {
  /** From the outermost to the innermost, the run's own last. */
  readonly levels: readonly ToolLevel[];
  /** What is left of it: only what each of these has, too. They never add anything. */
  readonly narrowing: readonly ToolLevel[];
}
