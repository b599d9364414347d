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
  /** A policy or a person has not allowed the call. */
  | "tool-denied"
  /** The tool did not end in its time. */
  | "tool-timeout"
  /** No connection, or it broke. */
  | "tool-network"
  /** The peer's TLS certificate is not to be trusted. */
  | "tool-certificate"
  /** The peer answered with an HTTP status of 400 or more. */
  | "tool-http"
  /** The peer sent more than was allowed. */
  | "tool-response-too-large"
  /** The address is not one that may be asked (private, loopback, not on the list). */
  | "tool-address-refused"
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

/** What a kind of {@link ToolError} is given: its code is its own. */
export type ToolErrorKindOptions = Omit<ToolErrorOptions, "code">;

/** The peer took longer than it was given: to connect, to take the request or to answer. */
export class ToolTimeoutError extends ToolError {
  static {
    brandError(ToolTimeoutError, "ToolTimeoutError");
  }

  constructor(message: string, options: ToolErrorKindOptions = {}) {
    super(message, { ...options, code: "tool-timeout" });
  }

  static override is(value: unknown): value is ToolTimeoutError {
    return hasErrorBrand(value, "ToolTimeoutError");
  }
}

/** No connection came about, or it broke. */
export class ToolNetworkError extends ToolError {
  static {
    brandError(ToolNetworkError, "ToolNetworkError");
  }

  constructor(message: string, options: ToolErrorKindOptions = {}) {
    super(message, { ...options, code: "tool-network" });
  }

  static override is(value: unknown): value is ToolNetworkError {
    return hasErrorBrand(value, "ToolNetworkError");
  }
}

/** The peer's TLS certificate is not to be trusted. */
export class ToolCertificateError extends ToolError {
  static {
    brandError(ToolCertificateError, "ToolCertificateError");
  }

  constructor(message: string, options: ToolErrorKindOptions = {}) {
    super(message, { ...options, code: "tool-certificate" });
  }

  static override is(value: unknown): value is ToolCertificateError {
    return hasErrorBrand(value, "ToolCertificateError");
  }
}

/** The answer that a {@link ToolHttpError} carries. */
export interface ToolHttpErrorResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** As text; empty for HEAD. */
  readonly body: string;
}

/**
 * The peer answered with an HTTP status of 400 or more.
 *
 * The message names the status only. `response` holds what the peer wrote, which may repeat what it
 * was sent: it is not enumerable, so that printing or serialising the error does not show it.
 */
export class ToolHttpError extends ToolError {
  static {
    brandError(ToolHttpError, "ToolHttpError");
  }

  declare readonly response: ToolHttpErrorResponse;

  constructor(
    message: string,
    response: ToolHttpErrorResponse,
    options: ToolErrorKindOptions = {},
  ) {
    super(message, { data: { status: response.status }, ...options, code: "tool-http" });
    Object.defineProperty(this, "response", { value: response });
  }

  static override is(value: unknown): value is ToolHttpError {
    return hasErrorBrand(value, "ToolHttpError");
  }
}
