import type { McpError } from "./mcp-error.ts";

/** The revisions of MCP that begin with a handshake, the newest first. */
export const protocolVersions: readonly [string, ...string[]] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** Whether we speak this revision. */
export function isProtocolVersion(version: string): boolean {
  return protocolVersions.includes(version);
}

/**
 * The newest revision that both know, where a server refuses `asked` and names those that it speaks:
 * in the error's data (MCP 2025-11-25, basic/lifecycle), or only in its words, as many do.
 */
export function newestCommonVersion(error: McpError, asked: string): string | undefined {
  const { remote, message } = error;
  const words = remote === undefined ? message : `${remote.message} ${JSON.stringify(remote.data)}`;
  const named: readonly string[] = words.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [];
  return protocolVersions.find((version) => version !== asked && named.includes(version));
}
