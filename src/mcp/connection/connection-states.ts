import type { McpSession } from "../session/mcp-session.ts";
import { isCustomTransport } from "../wire/custom-link.ts";
import { McpError } from "../wire/mcp-error.ts";
import type { McpConnectionConfig } from "./mcp-connection-config.ts";

/** A transport that our own process does not keep alive may be opened again after its end. */
export const isRenewable = ({ transport }: McpConnectionConfig): boolean =>
  !isCustomTransport(transport) && transport.type !== "stdio";

/** Whether calls repeat parameters in headers: only those of exchanges have room for them. */
export const mirrorsParameters = (session: McpSession | undefined): boolean =>
  session?.isStateless === true && session.link.hasExchanges === true;

/** Whether the server has forgotten the session. */
export const isExpired = (error: unknown): boolean =>
  McpError.is(error) && error.code === "mcp-session-expired";

/** The server wants other headers than those that were sent (MCP 2026-07-28, error codes). */
export const isHeaderMismatch = (error: unknown): boolean =>
  McpError.is(error) && error.remote?.code === -32_020;
