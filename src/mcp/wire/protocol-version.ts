import type { McpProtocol, McpTransport } from "../../tool/mcp-server-config.ts";
import { isCustomTransport, type McpCustomTransport } from "./custom-link.ts";
import type { McpError } from "./mcp-error.ts";

/** The revisions of MCP that begin with a handshake, the newest first. */
export const protocolVersions: readonly [string, ...string[]] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The revision without a handshake, in which every request says by itself what it is of. */
export const statelessVersion = "2026-07-28";

/** Whether we speak this revision, after a handshake. */
export function isProtocolVersion(version: string): boolean {
  return protocolVersions.includes(version);
}

/** What is spoken over a transport, where `wanted` says what is asked for. */
export function spokenOver(
  transport: McpTransport | McpCustomTransport,
  wanted: McpProtocol | undefined,
): McpProtocol {
  if (isCustomTransport(transport)) {
    return wanted ?? "legacy";
  }
  switch (transport.type) {
    case "sse":
      return "legacy"; // newer revisions do not have it
    case "http":
    case "streamable-http":
      return wanted ?? "auto";
    default:
      return wanted ?? "legacy"; // some programs end when they are asked for what they do not know
  }
}

/**
 * The newest revision that both know, where a server refuses `asked` and names those that it speaks:
 * in the error's data (MCP 2025-11-25, basic/lifecycle), or only in its words, as many do.
 */
export function newestCommonVersion(error: McpError, asked: string): string | undefined {
  const named = versionsNamed(error);
  return protocolVersions.find((version) => version !== asked && named.includes(version));
}

/** The revisions that a server names in an error. */
export function versionsNamed({ remote, message }: McpError): readonly string[] {
  const words = remote === undefined ? message : `${remote.message} ${JSON.stringify(remote.data)}`;
  return words.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [];
}
