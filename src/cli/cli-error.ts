import { brandError, DragomanError, hasErrorBrand } from "../base/dragoman-error.ts";
import type { SchemaIssue } from "../base/json-schema.ts";

/** Codes of {@link CliError}; they stand in the document that `--json` prints. */
export type CliErrorCode =
  /** No server was named, or what was written cannot be understood. */
  | "invalid-usage"
  | "unknown-server"
  | "unknown-tool"
  /** The arguments of a call do not fit the tool's schema. */
  | "invalid-arguments"
  /** Nobody has granted access in time. */
  | "login-expired"
  /** A file or folder cannot be read or written. */
  | "file-unusable";

/** The command line asks for what cannot be done. */
export class CliError extends DragomanError<CliErrorCode> {
  static {
    brandError(CliError, "CliError");
  }

  /** What is wrong with arguments, place by place. */
  readonly issues: readonly SchemaIssue[] | undefined;

  constructor(
    message: string,
    options: {
      readonly code: CliErrorCode;
      readonly cause?: unknown;
      readonly issues?: readonly SchemaIssue[];
    },
  ) {
    super(message, options);
    this.issues = options.issues;
  }

  static override is(value: unknown): value is CliError {
    return hasErrorBrand(value, "CliError");
  }
}
