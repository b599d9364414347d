import { checkNumbers } from "../base/check-numbers.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { Secret } from "../base/secret.ts";
import type { PostgresPool } from "./postgres-client.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import type { StoreKind } from "./store-kind.ts";

/** Options of a store on Postgres; either `connectionString` or `pool`. */
export interface PostgresStoreOptions {
  /** Such as `postgres://user:password@host:5432/database`. The store makes a pool, and closes it. */
  readonly connectionString?: string | Secret;
  /** A pool of the application's, made by `pg`, which the store does not close. */
  readonly pool?: PostgresPool;
  /** The schema of our tables; it is created where it is not there. Default `"dragoman"`. */
  readonly schema?: string;
  /** How many connections the store's own pool may have. Default 5. */
  readonly maxConnections?: number;
  /** The longest that one statement may take. Default 10 000. */
  readonly statementTimeoutMs?: number;
  /** How long to wait while somebody else writes to the same rows, before `store-locked`. Default 5 000. */
  readonly lockTimeoutMs?: number;
  /** How long to go on trying while the server is away, before `store-unavailable`. Default 10 000. */
  readonly retryMs?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** The database that the options name, not yet connected. @throws ConfigurationError where they are not valid. */
export function postgresDatabase(options: PostgresStoreOptions, kind: StoreKind): PostgresDatabase {
  const { connectionString, pool, schema = "dragoman", clock = systemClock, ...others } = options;
  const text =
    typeof connectionString === "string" ? new Secret(connectionString) : connectionString;
  const source = pool ?? text;
  if (source === undefined || (pool !== undefined && text !== undefined)) {
    throw invalid("A store on Postgres needs either a connectionString or a pool.");
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw invalid(
      `The schema ${JSON.stringify(schema)} is no plain name: use a-z, 0-9 and _, at most 63.`,
    );
  }
  checkNumbers(others, numbers, { where: `of a store of ${kind.what}` });
  const times = {
    maxConnections: others.maxConnections ?? 5,
    statementTimeoutMs: others.statementTimeoutMs ?? 10_000,
    lockTimeoutMs: others.lockTimeoutMs ?? 5_000,
    retryMs: others.retryMs ?? 10_000,
  };
  return new PostgresDatabase({ source, schema, clock, kind, ...times });
}

/** Postgres itself takes its times in whole milliseconds. */
const numbers = {
  maxConnections: "count",
  statementTimeoutMs: "count",
  lockTimeoutMs: "count",
  retryMs: "milliseconds-or-0",
} as const;

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });
