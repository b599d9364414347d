import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "./dragoman-error.ts";
import type { Json } from "./json.ts";

/** Codes of {@link ToolError} and its kinds. */
export type ToolErrorCode =
  /** The tool could not do its work; the general kind. */
  | "tool-failed"
  /** The model asked for a tool that the run does not have. */
  | "unknown-tool"
  /** The arguments are not what the tool takes. */
  | "invalid-arguments"
  /** The tool did not end in its time. */
  | "tool-timeout"
  /** No connection, or it broke. */
  | "tool-network"
  /** The peer's TLS certificate is not to be trusted. */
  | "tool-certificate"
  /** The peer answered with an HTTP status of 400 or more. */
  | "tool-http"
  /** The MCP server reported that the call failed. */
  | "remote-tool";

/** What is known of a tool's failure. */
export interface ToolErrorOptions extends Partial<DragomanErrorOptions<ToolErrorCode>> {
  /** Facts for the model and the caller, as JSON. */
  readonly data?: Json;
}

/**
 * A tool's failure. A tool may throw it (or return an error result): the model reads the message and
 * may try something else; the run goes on.
 */
export class ToolError extends DragomanError<ToolErrorCode> {
  static {
    brandError(ToolError, "ToolError");
  }

  /** Facts for the model and the caller, as JSON. */
  readonly data: Json | undefined;

  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { code: "tool-failed", ...options });
    this.data = options.data;
  }

  static override is(value: unknown): value is ToolError {
    return hasErrorBrand(value, "ToolError");
  }
}
