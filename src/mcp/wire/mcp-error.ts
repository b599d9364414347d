import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../../base/dragoman-error.ts";
import type { Json } from "../../base/json.ts";

/** Codes of {@link McpError}. */
export type McpErrorCode =
  /** The server could not be started or reached. */
  | "mcp-connect-failed"
  /** The server's TLS certificate is not to be trusted. */
  | "mcp-certificate"
  /** No answer in time. */
  | "mcp-timeout"
  /** There was a connection; it ended. */
  | "mcp-connection-closed"
  /** There is no connection: connect first. */
  | "mcp-not-connected"
  /** The server no longer knows the session, and a fresh one did not help. */
  | "mcp-session-expired"
  /** What the server sent is not MCP. */
  | "mcp-protocol"
  /** The server answered with an HTTP status that is not a success. */
  | "mcp-http"
  /** Access has not been granted, was taken back or does not suffice, or none can be had. */
  | "mcp-authorization"
  /** The server answered the request with a JSON-RPC error. */
  | "mcp-remote-error"
  /** The arguments of a call are no JSON; nothing was sent. */
  | "mcp-invalid-arguments"
  /** The server needs something of the application first, and did not get it. */
  | "mcp-input-required"
  /** The server sent more than is allowed. */
  | "mcp-limit";

/** What is known of a failure of an MCP server. */
export interface McpErrorOptions extends DragomanErrorOptions<McpErrorCode> {
  /** The alias of the server in this application. */
  readonly server: string;
  /** The HTTP status, where the server answered with one that is not a success. */
  readonly status?: number;
  /** How long the server asks to wait before the next try, in milliseconds (`Retry-After`). */
  readonly retryAfterMs?: number;
  /** The JSON-RPC error that the server sent: always for `mcp-remote-error`, else where there was one. */
  readonly remote?: RemoteError;
}

/** A JSON-RPC error as the server sent it. */
export interface RemoteError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/**
 * An MCP server cannot be used, or a request to it failed. The message names the server by its alias
 * and says what happened and what to do; it holds no credential and no query of a URL.
 */
export class McpError extends DragomanError<McpErrorCode> {
  static {
    brandError(McpError, "McpError");
  }

  /** The alias of the server in this application. */
  readonly server: string;
  /** The HTTP status, where the server answered with one that is not a success. */
  readonly status: number | undefined;
  /** How long the server asks to wait before the next try, in milliseconds (`Retry-After`). */
  readonly retryAfterMs: number | undefined;
  /** The JSON-RPC error that the server sent: always for `mcp-remote-error`, else where there was one. */
  readonly remote: RemoteError | undefined;

  constructor(message: string, options: McpErrorOptions) {
    super(message, options);
    this.server = options.server;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.remote = options.remote;
  }

  static override is(value: unknown): value is McpError {
    return hasErrorBrand(value, "McpError");
  }
}
