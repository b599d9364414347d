import { type Clock, systemClock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import type { ToolProgress } from "../tool/tool.ts";
import { listTools } from "./list-tools.ts";
import { resolveLimits } from "./mcp-limits.ts";
import { ProtocolClient } from "./protocol-client.ts";
import type { McpCallResult } from "./to-tool-result.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

/** How a connection is opened. */
export interface McpConnectionOptions {
  readonly signal: AbortSignal;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** How a tool is called. */
interface CallToolOptions {
  readonly signal: AbortSignal;
  /** Sent beside the arguments, under namespaced keys. */
  readonly meta?: JsonObject;
  readonly onProgress?: (progress: ToolProgress) => void;
}

/** A connection to one server, on which any number of calls can run at once. */
export interface McpConnection {
  /** The server as it names itself. */
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** What the server says on its use: a stranger's text. */
  readonly instructions: string | undefined;
  /**
   * All usable tools; `notice` hears of what was left out or changed, and of which tool.
   *
   * @throws McpError, or the signal's reason
   */
  listTools(options: {
    readonly signal: AbortSignal;
    notice(code: string, message: string, tool?: string): void;
  }): Promise<readonly McpToolDefinition[]>;
  /**
   * Calls a tool by the server's own name. An error that the tool reports is a result; one that the
   * protocol reports is thrown. Progress starts the time limit anew, up to 20 times its length in all.
   *
   * @throws McpError, or the signal's reason at once when it aborts
   */
  callTool(name: string, input: JsonObject, options: CallToolOptions): Promise<McpCallResult>;
  /** Ends the session and the server's process, and resolves when it is gone. It does not reject. */
  close(): Promise<void>;
  /** The same with little patience. */
  abandon(): Promise<void>;
}

const defaultTimeoutMs = 15_000;

/** A call that goes on reporting progress may take so many times the time limit in all. */
const totalFactor = 20;

/** All pages of a list together may take so many times the time limit. */
const listFactor = 4;

/**
 * Connects to a server: starts or reaches it and shakes hands, within the configuration's
 * `timeoutMs`. Whoever opens it closes it; what was opened before a failure is closed.
 *
 * @throws McpError, or the signal's reason when it aborts
 */
export async function openMcpConnection(
  config: McpServerConfig,
  { signal, clock = systemClock }: McpConnectionOptions,
): Promise<McpConnection> {
  const { name: server, transport, timeoutMs = defaultTimeoutMs } = config;
  const client = await ProtocolClient.open({ server, transport, timeoutMs, signal, clock });
  return {
    serverInfo: client.serverInfo,
    instructions: client.instructions,
    listTools(options) {
      const end = clock.now() + timeoutMs * listFactor;
      return listTools({
        server,
        limits: resolveLimits(config.limits),
        notice: options.notice,
        request: (params) =>
          client.request("tools/list", params, {
            signal: options.signal,
            timeoutMs,
            totalTimeoutMs: Math.max(1, end - clock.now()),
          }),
      });
    },
    callTool: (name, input, options) =>
      client.request(
        "tools/call",
        { name, arguments: input, ...(options.meta === undefined ? {} : { _meta: options.meta }) },
        {
          signal: options.signal,
          timeoutMs,
          totalTimeoutMs: timeoutMs * totalFactor,
          onProgress: options.onProgress ?? (() => {}),
        },
      ),
    close: () => client.close(),
    abandon: () => client.abandon(),
  };
}
