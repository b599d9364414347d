import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../base/dragoman-error.ts";

/** Codes of {@link ModelError}. */
export type ModelErrorCode =
  /** The provider refused the credential (401, 403). */
  | "model-unauthorized"
  /** The provider knows no such model, or there is no such provider at that URL (404). */
  | "model-not-found"
  /** The provider refused the request itself (400, 413, 422). */
  | "model-refused"
  /** Too many requests, or the quota is spent (429, 402). */
  | "model-rate-limited"
  /** The provider failed (5xx, overloaded). */
  | "model-unavailable"
  /** Nothing could be reached, or the connection broke. */
  | "model-unreachable"
  /** The provider did not answer in time. */
  | "model-timeout"
  /** What came back is not what the provider's protocol allows. */
  | "model-invalid-response";

/** What is known of a provider's failure. */
export interface ModelErrorOptions extends DragomanErrorOptions<ModelErrorCode> {
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The HTTP status, where there was one. */
  readonly status?: number;
}

/** A model call that failed, on the provider's side or on the way there. */
export class ModelError extends DragomanError<ModelErrorCode> {
  static {
    brandError(ModelError, "ModelError");
  }

  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the provider asked to wait before that, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, options: ModelErrorOptions) {
    super(message, options);
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }

  static override is(value: unknown): value is ModelError {
    return hasErrorBrand(value, "ModelError");
  }
}
