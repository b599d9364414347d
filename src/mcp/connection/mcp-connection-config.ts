import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ActiveSpan } from "../../base/tracing.ts";
import type { CallPause } from "../../tool/call-pause.ts";
import type { McpServerConfig, McpTransport } from "../../tool/mcp-server-config.ts";
import type { ToolProgress } from "../../tool/tool.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import type { ServerCallbacks } from "../session/server-callbacks.ts";
import type { McpLogLevel } from "../session/server-log.ts";
import type { McpCustomTransport } from "../wire/custom-link.ts";
import type { SpokenProtocols } from "../wire/spoken-protocols.ts";
import type { McpEvents } from "./server-events.ts";

/** A server that may be reached by a transport of the application's. */
export interface McpConnectionConfig extends Omit<McpServerConfig, "transport"> {
  readonly transport: McpTransport | McpCustomTransport;
}

/** How a connection is opened. */
export interface McpConnectionOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whose tokens are sent, where they belong to somebody (OAuth). */
  readonly actor?: string | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Hears what the server tells of its own accord, at most 1 000 messages a second. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  /** Hears what becomes of that. */
  readonly events?: McpEvents | undefined;
  /** What the server may ask of the application. Default: nothing. */
  readonly callbacks?: ServerCallbacks | undefined;
  /** From which level on the server is asked to log. Default: it is not asked. */
  readonly logLevel?: McpLogLevel | undefined;
  /** Whether `"info"` is asked for where that costs nothing: each request says it (since 2026-07-28). */
  readonly wantsLogs?: boolean | undefined;
  /** Hears of what goes wrong beside the requests. */
  readonly onNotice?: ((code: string, message: string) => void) | undefined;
  /** What is known of the servers that were spoken to before. */
  readonly spoken?: SpokenProtocols | undefined;
  /** What the connection is opened for, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
}

/** How a tool is called. */
export interface CallToolOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the server may be silent, in milliseconds. Default: the configuration's. */
  readonly timeoutMs?: number;
  /** Sent beside the arguments, under namespaced keys. */
  readonly meta?: JsonObject;
  /** What the call is part of, where somebody traces: `span` of a `ToolCall`. */
  readonly span?: ActiveSpan | undefined;
  readonly onProgress?: (progress: ToolProgress) => void;
  /**
   * Called with the tools as the server publishes them, before the call is sent: with those that were
   * listed last, listed anew where the server has said that they changed, and again where it has
   * forgotten the session. What it throws is the call's failure.
   */
  guard?(tools: readonly McpToolDefinition[]): void;
  /** How the call may wait for a person where the server lets it be sent again. Default: it may not. */
  readonly pause?: CallPause | undefined;
}

/** How the tools of a server are listed. */
export interface ListToolsScope {
  readonly signal?: AbortSignal | undefined;
  /** What the listing is part of, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
  /** Hears of what was left out or changed, and of which tool. */
  notice?(code: string, message: string, tool?: string): void;
}
