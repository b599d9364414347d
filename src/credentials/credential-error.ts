import { brandError, DragomanError, hasErrorBrand } from "../base/dragoman-error.ts";

/** Codes of {@link CredentialError}. */
export type CredentialErrorCode =
  /** Nobody has granted access yet, or it was taken back: the actor must authorise again. */
  | "authorization-required"
  /** The answer to an authorisation is not one that we asked for, or it says no. */
  | "authorization-failed"
  /** What a server says of its authorisation cannot be used, or is not to be trusted. */
  | "discovery-refused"
  /** The authorisation server does not know the client, or not by what it showed. */
  | "client-refused"
  /** The authorisation server refused to give a token, or gave something else. */
  | "token-refused"
  /** The store cannot be read: a wrong key, or a file that was altered. */
  | "store-unreadable"
  /** Another process holds the store for too long. */
  | "store-locked";

/**
 * A credential that cannot be had. Neither message nor cause holds what an authorisation server wrote
 * beyond its error code, since that may repeat what it was sent.
 */
export class CredentialError extends DragomanError<CredentialErrorCode> {
  static {
    brandError(CredentialError, "CredentialError");
  }

  static override is(value: unknown): value is CredentialError {
    return hasErrorBrand(value, "CredentialError");
  }
}
