import type { Tool } from "../tool/tool.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";
import type { RunFailure } from "./run-failure.ts";
import type { RunOptions } from "./run-options.ts";
import { type RunSettings, toolLevels } from "./run-scope.ts";
import type { McpEntry } from "./tool-level.ts";
import { wantedTools } from "./wanted-tools.ts";
import { withRunTools } from "./with-run-tools.ts";

/** A server that an agent's runs use, and how it stands. */
export type ExaminedServer = { readonly entry: McpEntry } & (
  | {
      readonly status: "connected";
      /** As it names itself. */
      readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
    }
  | { readonly status: "failed"; readonly error: RunFailure }
);

/** What the runs of an agent can do now. */
export interface ExaminedTools {
  /** By the names that the model sees. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** All that are declared, in order. */
  readonly servers: readonly ExaminedServer[];
}

/** The tools of such a run, and how its servers stand; what is not kept open is opened and closed. */
export function examineTools(
  settings: RunSettings,
  kept: KeptToolsets | undefined,
): Promise<ExaminedTools> {
  const { servers: wanted } = wantedTools(toolLevels(settings), settings);
  return withRunTools(settings, kept, async ({ tools: { tools, servers } }) => ({
    tools: new Map(tools),
    servers: wanted.map((entry): ExaminedServer => {
      const failed = servers.failed.find(({ name }) => name === entry.name);
      const open = servers.open.find(({ name }) => name === entry.name);
      return failed === undefined
        ? { entry, status: "connected", serverInfo: open?.toolset.serverInfo }
        : { entry, status: "failed", error: failed.error };
    }),
  }));
}

const examiners = new WeakMap<object, (options: RunOptions) => Promise<ExaminedTools>>();

/** Says how the tools of an agent are examined. */
export function setExaminer(
  agent: object,
  examine: (options: RunOptions) => Promise<ExaminedTools>,
): void {
  examiners.set(agent, examine);
}

/**
 * What the runs of an agent with these options can do now; `undefined` for what is no single agent.
 *
 * @throws RunError `server-unavailable`; ConfigurationError.
 */
export const examinedToolsOf = (
  agent: object,
  options: RunOptions,
): Promise<ExaminedTools> | undefined => examiners.get(agent)?.(options);
