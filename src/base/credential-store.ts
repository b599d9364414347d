import type { JsonObject } from "./json.ts";

/**
 * Keeps tokens and what is needed to get them. Records are secret: they belong into no log, and on
 * disk only encrypted.
 */
export interface CredentialStore {
  /** The record, unless there is none or its time is over. */
  read(key: string): Promise<JsonObject | undefined>;
  /** Replaces the record; from `expiresAtMs` (Unix epoch) on it may be dropped. */
  write(key: string, record: JsonObject, expiresAtMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Does `work` while nobody else who uses this store, in any process, does work for the same key: so
   * a refresh token that works once is not spent twice. `work` may read and write.
   */
  exclusively<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}
