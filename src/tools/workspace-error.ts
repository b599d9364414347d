import { brandError, hasErrorBrand } from "../base/dragoman-error.ts";
import { ToolError, type ToolErrorKindOptions } from "../base/tool-error.ts";

/** Why something could not be done in a workspace. */
export type WorkspaceFault =
  /** The path leads out of the workspace, or is none. */
  | "outside"
  | "not-found"
  /** There is something already. */
  | "exists"
  /** The root may only be read. */
  | "read-only"
  /** A folder where a file is wanted, the other way round, or neither: a device, a pipe, a socket. */
  | "wrong-kind"
  | "too-large"
  /** Text is wanted, and it is none. */
  | "not-text"
  /** The text to replace is not there, or there more than once. */
  | "no-match"
  /** Somebody else changed it meanwhile. */
  | "changed"
  /** The system refused. */
  | "failed";

/** What is known of a {@link WorkspaceError}. */
export interface WorkspaceErrorOptions extends ToolErrorKindOptions {
  readonly fault: WorkspaceFault;
}

/**
 * Something cannot be done in a workspace. The message names paths as the workspace does, never as
 * the machine does; a model reads it. `cause`, where there is one, is the system's and names both.
 */
export class WorkspaceError extends ToolError {
  static {
    brandError(WorkspaceError, "WorkspaceError");
  }

  readonly fault: WorkspaceFault;

  constructor(message: string, { fault, ...options }: WorkspaceErrorOptions) {
    super(message, options);
    this.fault = fault;
  }

  static override is(value: unknown): value is WorkspaceError {
    return hasErrorBrand(value, "WorkspaceError");
  }
}
