import type { Clock } from "../../base/clock.ts";
import type { McpTransport, UrlTransport } from "../../tool/mcp-server-config.ts";
import { CustomLink, isCustomTransport, type McpCustomTransport } from "../wire/custom-link.ts";
import type { ServerLink } from "../wire/server-link.ts";
import type { HttpCaller } from "./http-caller.ts";

/** Which server, how, and for whom. */
export interface LinkChoice {
  /** The alias of the server. */
  readonly server: string;
  readonly transport: McpTransport | McpCustomTransport;
  /** Whose tokens are sent, where they belong to somebody. */
  readonly actor?: string | undefined;
  readonly clock: Clock;
}

/**
 * The way to a server by the given transport, not yet started. What a transport needs is loaded when
 * it is used first.
 */
export async function createLink({
  server,
  transport,
  actor,
  clock,
}: LinkChoice): Promise<ServerLink> {
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
      const { terminateSession } = transport;
      return new StreamableHttpLink({
        caller: await callerFor({ server, transport, actor, clock }),
        clock,
        terminateSession,
      });
    }
    case "sse": {
      const { SseLink } = await import("./sse-link.ts");
      const { messagesUrl } = transport;
      return new SseLink({
        caller: await callerFor({ server, transport, actor, clock }),
        clock,
        messagesUrl,
      });
    }
    case "ws":
    case "websocket": {
      const { WebSocketLink } = await import("./web-socket-link.ts");
      const caller = await callerFor({ server, transport, actor, clock });
      return new WebSocketLink({ caller, transport, clock });
    }
  }
}

/** The older transport at the URL of a newer one, for servers that speak only that. */
export async function createOlderLink({
  server,
  transport,
  actor,
  clock,
}: LinkChoice): Promise<ServerLink | undefined> {
  if (
    isCustomTransport(transport) ||
    (transport.type !== "streamable-http" && transport.type !== "http")
  ) {
    return undefined;
  }
  const { SseLink } = await import("./sse-link.ts");
  const caller = await callerFor({ server, transport, actor, clock });
  return new SseLink({ caller, clock, onlyAsGiven: true });
}

async function callerFor({
  server,
  transport,
  actor,
  clock,
}: LinkChoice & { readonly transport: UrlTransport }): Promise<HttpCaller> {
  const { HttpCaller } = await import("./http-caller.ts");
  const { auth } = transport;
  if (auth === undefined || !("type" in auth)) {
    return new HttpCaller(server, transport, clock);
  }
  const { ServerAuthorization } = await import("../authorization/server-authorization.ts");
  const authorization = new ServerAuthorization({
    server,
    transport,
    settings: auth,
    actor,
    clock,
  });
  return new HttpCaller(server, transport, clock, authorization);
}
