import { McpConnection } from "./mcp-connection.ts";
import type { McpConnectionConfig, McpConnectionOptions } from "./mcp-connection-config.ts";

/**
 * Connects to a server: starts or reaches it and shakes hands, within the configuration's
 * `timeoutMs`. Whoever opens it closes it; what was opened before a failure is closed.
 *
 * @throws McpError, or the signal's reason when it aborts
 */
export async function openMcpConnection(
  config: McpConnectionConfig,
  options: McpConnectionOptions = {},
): Promise<McpConnection> {
  const connection = new McpConnection(config, options);
  await connection.open(options.signal);
  return connection;
}
