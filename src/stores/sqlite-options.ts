import { checkNumbers } from "../base/check-numbers.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import type { StoreKind } from "./store-kind.ts";

/** Options of a store on SQLite. */
export interface SqliteStoreOptions {
  /**
   * The database; it is created, with its folder, where it is not there, for its owner's eyes only. On
   * a disk of this machine: SQLite's locks do not hold on network drives. Several stores may share it.
   */
  readonly file: string;
  /** The greatest size of the file, in bytes; then `store-full`. Default: what the disk has. */
  readonly maxBytes?: number;
  /** How long to wait while another process writes, before `store-locked`. Default 10 000. */
  readonly busyTimeoutMs?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** The database that the options name, not yet opened. @throws ConfigurationError where they name none. */
export function sqliteDatabase(options: SqliteStoreOptions, kind: StoreKind): SqliteDatabase {
  const { file, maxBytes, busyTimeoutMs = 10_000, clock = systemClock } = options;
  if (typeof file !== "string" || file === "" || file.startsWith(":")) {
    throw new ConfigurationError(
      `The file of a store of ${kind.what} is ${JSON.stringify(file)}: give a path, or use a store in memory.`,
      { code: "invalid-configuration" },
    );
  }
  const numbers = { maxBytes: "bytes", busyTimeoutMs: "milliseconds-or-0" } as const;
  checkNumbers(options, numbers, { where: `of a store of ${kind.what}` });
  return new SqliteDatabase({ file, maxBytes, busyTimeoutMs, clock, kind });
}
