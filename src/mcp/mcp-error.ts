import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../base/dragoman-error.ts";
import type { Json } from "../base/json.ts";

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
  /** What the server sent is not MCP. */
  | "mcp-protocol"
  /** The server answered with an HTTP status that is not a success. */
  | "mcp-http"
  /** The server answered the request with a JSON-RPC error. */
  | "mcp-remote-error"
  /** The server sent more than is allowed. */
  | "mcp-limit";

/** What is known of a failure of an MCP server. */
export interface McpErrorOptions extends DragomanErrorOptions<McpErrorCode> {
  /** The alias of the server in this application. */
  readonly server: string;
  /** The HTTP status, for `mcp-http`. */
  readonly status?: number;
  /** The error that the server sent, for `mcp-remote-error`. */
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
  /** The HTTP status, for `mcp-http`. */
  readonly status: number | undefined;
  /** The error that the server sent, for `mcp-remote-error`. */
  readonly remote: RemoteError | undefined;

  constructor(message: string, options: McpErrorOptions) {
    super(message, options);
    this.server = options.server;
    this.status = options.status;
    this.remote = options.remote;
  }

  static override is(value: unknown): value is McpError {
    return hasErrorBrand(value, "McpError");
  }
}
