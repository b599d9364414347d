import type { DragomanError, DragomanErrorOptions } from "../base/dragoman-error.ts";

/** What may be wrong with a database, whatever is kept in it. */
export type StoreFailureCode =
  | "store-unavailable"
  | "store-locked"
  | "store-full"
  | "store-corrupt"
  | "store-too-new";

/** What is kept in a database: how its errors are made and what they say. */
export interface StoreKind {
  /** For error messages, such as "sessions". */
  readonly what: string;
  /** What to do where nobody knows whether a change was made. */
  readonly ifUnknown: string;
  error(message: string, options: DragomanErrorOptions<StoreFailureCode>): DragomanError;
}
