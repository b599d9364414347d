import type { McpTransport } from "../../tool/mcp-server-config.ts";
import { isCustomTransport, type McpCustomTransport } from "./custom-link.ts";

/** So many servers are remembered: a transport may be a function that makes ever new ones. */
const mostServers = 100;

/**
 * Which servers turned out to speak only the revisions with a handshake, so that they are not asked
 * again by whoever keeps this: it is a property of the server, not of a connection.
 */
export class SpokenProtocols {
  readonly #found = new Map<string, "auto" | "legacy">();

  /** What a server is to be greeted with, where that is known. */
  of(transport: McpTransport | McpCustomTransport): "auto" | "legacy" | undefined {
    return this.#found.get(keyOf(transport) ?? "");
  }

  keep(transport: McpTransport | McpCustomTransport, protocol: "auto" | "legacy"): void {
    const key = keyOf(transport);
    const [oldest] = this.#found.keys();
    if (key !== undefined) {
      this.#found.set(key, protocol);
    }
    if (this.#found.size > mostServers && oldest !== undefined) {
      this.#found.delete(oldest);
    }
  }

  forget(transport: McpTransport | McpCustomTransport): void {
    this.#found.delete(keyOf(transport) ?? "");
  }
}

/** What a server is known by, apart from who we are to it. A transport of the application's is used once. */
function keyOf(transport: McpTransport | McpCustomTransport): string | undefined {
  if (isCustomTransport(transport)) {
    return undefined;
  }
  return transport.type === "stdio"
    ? JSON.stringify([transport.command, transport.args, transport.cwd])
    : transport.url;
}
