import { ConfigurationError } from "../base/dragoman-error.ts";
import type { McpConfigFault } from "../mcp/desktop-entry.ts";
import { mcpToolset } from "../mcp/mcp-toolset.ts";
import { readMcpConfig } from "../mcp/read-mcp-config.ts";
import type { Toolset } from "../tool/toolset.ts";
import { freshAlias, parseServerArgument } from "./server-argument.ts";

/** Where the servers of a run are named. */
interface ServerChoice {
  /** Files with `mcpServers`. */
  readonly mcp: readonly string[];
  /** Commands or URLs. */
  readonly server: readonly string[];
}

/**
 * The servers of a run. One of a file whose entry has a fault is a toolset that cannot be opened, so
 * that it is reported as any other that fails and the run goes on with the rest. Each has a name of
 * its own.
 *
 * @throws ConfigurationError for a file that cannot be read, a `--server` that is neither a command
 *   nor a URL, and where every server is at fault.
 */
export async function chooseServers(
  { mcp, server }: ServerChoice,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Toolset[]> {
  const faults: McpConfigFault[] = [];
  const onFault = (fault: McpConfigFault): void => void faults.push(fault);
  const read = await Promise.all(mcp.map((file) => readMcpConfig(file, { env, onFault })));
  const taken = new Set<string>();
  const named = (alias: string): string => {
    const name = freshAlias(alias, taken);
    taken.add(name);
    return name;
  };
  const optional = read.flat().map((config) => mcpToolset({ ...config, name: named(config.name) }));
  const required = server.map((argument) => {
    const config = parseServerArgument(argument, taken);
    taken.add(config.name);
    return mcpToolset({ ...config, onUnavailable: "fail" });
  });
  const usable = [...optional, ...required];
  if (faults.length > 0 && usable.length === 0) {
    throw new ConfigurationError(faults.map(({ error }) => error.message).join("\n"), {
      code: "invalid-configuration",
    });
  }
  return [...usable, ...faults.map(({ name, error }) => unusable(named(name), error))];
}

const unusable = (name: string, error: ConfigurationError): Toolset => ({
  name,
  open: () => Promise.reject(error),
});
