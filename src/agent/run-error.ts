import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../base/dragoman-error.ts";

/** Codes of {@link RunError}. */
export type RunErrorCode =
  /** `timeoutMs` of the run was over. */
  | "deadline-exceeded"
  /** Somebody cancelled the run. */
  | "cancelled"
  /** A server with `onUnavailable: "fail"` could not be used. */
  | "server-unavailable";

/** A run that did not complete. `Run.result` never rejects with it; `orThrow` does. */
export class RunError extends DragomanError<RunErrorCode> {
  static {
    brandError(RunError, "RunError");
  }

  constructor(message: string, options: DragomanErrorOptions<RunErrorCode>) {
    super(message, options);
  }

  static override is(value: unknown): value is RunError {
    return hasErrorBrand(value, "RunError");
  }
}
