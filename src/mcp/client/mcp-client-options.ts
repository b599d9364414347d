import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { McpEvents } from "../connection/server-events.ts";
import type { ServerCallbacks } from "../session/server-callbacks.ts";
import type { McpLogLevel } from "../session/server-log.ts";

/**
 * What an McpClient does with what is not an answer, what the server may ask of it, and the
 * time that it goes by. Callbacks that are absent are not offered to the server.
 */
export interface McpClientOptions extends ServerCallbacks, McpEvents {
  /** Hears all that the server tells of its own accord, as it was sent. */
  readonly onNotification?: (method: string, params: JsonObject) => void;
  /** Hears of what goes wrong beside the requests: a callback that throws, above all. */
  readonly onNotice?: (code: string, message: string) => void;
  /**
   * From which level on the server is asked to log. Default: `"info"` where there is an `onLog` and
   * each request says it (since 2026-07-28); older servers are not asked, and log as they like.
   */
  readonly logLevel?: McpLogLevel;
  /** Whose tokens are sent, where they belong to somebody (OAuth). Absent: the application's own. */
  readonly actor?: string;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** What bounds one request. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  /** How long the server may be silent, in milliseconds. Default: the configuration's. */
  readonly timeoutMs?: number;
}
