import type { Clock } from "../base/clock.ts";
import type { McpTransport, UrlTransport } from "../tool/mcp-server-config.ts";
import { CustomLink, isCustomTransport, type McpCustomTransport } from "./custom-link.ts";
import type { HttpCaller } from "./http-caller.ts";
import type { ServerLink } from "./server-link.ts";

/**
 * The way to a server by the given transport, not yet started. What a transport needs is loaded when
 * it is used first.
 */
export async function createLink(
  server: string,
  transport: McpTransport | McpCustomTransport,
  clock: Clock,
): Promise<ServerLink> {
  if (isCustomTransport(transport)) {
    return new CustomLink(server, transport);
  }
  switch (transport.type) {
    case "stdio": {
      const { StdioLink } = await import("./stdio-link.ts");
      const { inheritedEnvironment } = await import("./inherited-environment.ts");
      // biome-ignore lint/style/noProcessEnv: what a child inherits is what this process has
      const inheritedEnv = inheritedEnvironment(process.env, process.platform);
      return new StdioLink({ server, transport, inheritedEnv });
    }
    case "streamable-http":
    case "http": {
      const { StreamableHttpLink } = await import("./streamable-http-link.ts");
      const caller = await callerFor(server, transport, clock);
      const { terminateSession } = transport;
      return new StreamableHttpLink({ caller, clock, terminateSession });
    }
    case "sse": {
      const { SseLink } = await import("./sse-link.ts");
      const { messagesUrl } = transport;
      return new SseLink({ caller: await callerFor(server, transport, clock), clock, messagesUrl });
    }
    case "ws":
    case "websocket": {
      const { WebSocketLink } = await import("./web-socket-link.ts");
      const caller = await callerFor(server, transport, clock);
      return new WebSocketLink({ caller, transport, clock });
    }
  }
}

/** The older transport at the URL of a newer one, for servers that speak only that. */
export async function createOlderLink(
  server: string,
  transport: McpTransport | McpCustomTransport,
  clock: Clock,
): Promise<ServerLink | undefined> {
  if (
    isCustomTransport(transport) ||
    (transport.type !== "streamable-http" && transport.type !== "http")
  ) {
    return undefined;
  }
  const { SseLink } = await import("./sse-link.ts");
  const caller = await callerFor(server, transport, clock);
  return new SseLink({ caller, clock, onlyAsGiven: true });
}

async function callerFor(
  server: string,
  transport: UrlTransport,
  clock: Clock,
): Promise<HttpCaller> {
  const { HttpCaller } = await import("./http-caller.ts");
  return new HttpCaller(server, transport, clock);
}
