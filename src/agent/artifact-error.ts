import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../base/dragoman-error.ts";

/** Codes of {@link ArtifactError}. */
export type ArtifactErrorCode =
  /** There is no such artifact, or it is another actor's: the two are not told apart. */
  | "artifact-not-found"
  /** It has more bytes than are allowed. */
  | "artifact-too-large"
  /** A deferred artifact whose bytes could not be had: no resolver, or it refused, failed or took too long. */
  | "artifact-unresolved"
  /** An id, a name or a filter that the store does not take. */
  | "artifact-invalid"
  /** The store failed. Whether a change was made is unknown. */
  | "artifact-store-failed"
  /** A store on a database: not reached, not opened, or closed; the message says what became of a change. */
  | "store-unavailable"
  /** Somebody else held it for too long; nothing was changed. */
  | "store-locked"
  /** No space is left; nothing was changed. */
  | "store-full"
  /** It is damaged, or another program's. */
  | "store-corrupt"
  /** It was written by a newer Dragoman. */
  | "store-too-new";

/** An artifact that cannot be kept or read. Holds none of its bytes. */
export class ArtifactError extends DragomanError<ArtifactErrorCode> {
  static {
    brandError(ArtifactError, "ArtifactError");
  }

  constructor(message: string, options: DragomanErrorOptions<ArtifactErrorCode>) {
    super(message, options);
  }

  static override is(value: unknown): value is ArtifactError {
    return hasErrorBrand(value, "ArtifactError");
  }
}
