import type { McpTransport } from "../tool/mcp-server-config.ts";
import { HttpLink } from "./http-link.ts";
import type { ServerLink } from "./protocol-transport.ts";
import { StdioLink } from "./stdio-link.ts";

/** The way to a server by the given transport, not yet started. */
export async function createLink(server: string, transport: McpTransport): Promise<ServerLink> {
  if (transport.type === "stdio") {
    const { getDefaultEnvironment } = await import("@modelcontextprotocol/client/stdio");
    return new StdioLink({ server, transport, inheritedEnv: getDefaultEnvironment() });
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new HttpLink({
    server,
    transport,
    createTransport: (url, options) => new StreamableHTTPClientTransport(url, options),
  });
}
