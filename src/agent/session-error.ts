import {
  brandError,
  DragomanError,
  type DragomanErrorOptions,
  hasErrorBrand,
} from "../base/dragoman-error.ts";

/** Codes of {@link SessionError}. */
export type SessionErrorCode =
  /** There is no such session, or it is another actor's: the two are not told apart. */
  | "session-not-found"
  /** The id of a new session is taken, or the session is not as long as was expected. */
  | "session-conflict"
  /** An id, a title, a state or a message that the store does not take: its form or its size. */
  | "session-invalid"
  /** The store cannot be reached or opened, or was closed. Whether a change was made is unknown. */
  | "store-unavailable"
  /** Somebody else held the store, or the session, for too long. Nothing was changed. */
  | "store-locked"
  /** No space is left. Nothing was changed, and what was stored can be read. */
  | "store-full"
  /** What is stored cannot be understood: damaged, or not a store of ours. */
  | "store-corrupt"
  /** A newer Dragoman has written the store. */
  | "store-too-new";

/** A session that cannot be read or written. Holds no text of a conversation and no password. */
export class SessionError extends DragomanError<SessionErrorCode> {
  static {
    brandError(SessionError, "SessionError");
  }

  constructor(message: string, options: DragomanErrorOptions<SessionErrorCode>) {
    super(message, options);
  }

  static override is(value: unknown): value is SessionError {
    return hasErrorBrand(value, "SessionError");
  }
}
