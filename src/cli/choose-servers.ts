import { ConfigurationError } from "../base/dragoman-error.ts";
import { mcpToolset } from "../mcp/toolset/mcp-toolset.ts";
import type { Toolset } from "../tool/toolset.ts";
import { type McpTarget, readTargets, type ServerChoice } from "./mcp-targets.ts";
import { TokenFile } from "./token-file.ts";
import { withLogin } from "./with-login.ts";

/**
 * The servers of a run. One of a file whose entry has a fault is a toolset that cannot be opened, so
 * that it is reported as any other that fails and the run goes on with the rest. Each has a name of
 * its own.
 *
 * @throws ConfigurationError for a file that cannot be read, a `--server` that is neither a command
 *   nor a URL, and where every server is at fault.
 */
export async function chooseServers(
  choice: ServerChoice,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Toolset[]> {
  const targets = await readTargets(choice, env);
  const faults = targets.flatMap((target) => (target.kind === "fault" ? [target.error] : []));
  if (faults.length > 0 && faults.length === targets.length) {
    throw new ConfigurationError(faults.map(({ message }) => message).join("\n"), {
      code: "invalid-configuration",
    });
  }
  const tokens = new TokenFile(env);
  return targets.map((target) => toToolset(target, tokens));
}

function toToolset(target: McpTarget, tokens: TokenFile): Toolset {
  if (target.kind === "fault") {
    const { name, error } = target;
    return { name, open: () => Promise.reject(error) };
  }
  const config = withLogin(target.config, tokens);
  return mcpToolset({ ...config, ...(target.typed ? { onUnavailable: "fail" } : {}) });
}
