import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Clock } from "../base/clock.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isSqliteBusy, toSqliteError } from "./sqlite-error.ts";
import { applicationId, sqliteMigrations } from "./sqlite-schema.ts";
import type { StoreKind } from "./store-kind.ts";

/** Which database, and what it may cost. */
export interface SqliteDatabaseOptions {
  readonly file: string;
  /** The greatest size of the file. */
  readonly maxBytes: number | undefined;
  /** How long to wait while somebody else writes. */
  readonly busyTimeoutMs: number;
  readonly clock: Clock;
  /** What is kept there. */
  readonly kind: StoreKind;
}

/** A row, by its columns. */
export type SqliteRow = Record<string, SQLOutputValue>;

/**
 * What a transaction may do. Each statement is prepared once. Parameters are plain `?`: Node 22 does
 * not take numbered ones by position.
 */
export interface SqliteStatements {
  all(sql: string, values?: readonly SQLInputValue[]): readonly SqliteRow[];
  get(sql: string, values?: readonly SQLInputValue[]): SqliteRow | undefined;
}

/** While SQLite itself waits, nothing else in this process runs: so it waits no longer than this. */
const blockingWaitMs = 20;

/**
 * A SQLite database of ours in one file, opened with its first use. A transaction that was fulfilled
 * survives `kill -9`, and with an honest disk a power cut: it is in the write-ahead log, which is
 * synchronised at each commit.
 */
export class SqliteDatabase implements AsyncDisposable {
  readonly #options: SqliteDatabaseOptions;
  #connection: Promise<Connection> | undefined;
  #closed = false;

  constructor(options: SqliteDatabaseOptions) {
    this.#options = options;
  }

  /**
   * Does `work`, which is synchronous, as one transaction: all of it holds, or, where it throws, nothing.
   *
   * @throws errors of the store's kind; what `work` throws.
   */
  async transaction<Result>(
    mode: "read" | "write",
    work: (statements: SqliteStatements) => Result,
  ): Promise<Result> {
    const { file, clock, busyTimeoutMs, kind } = this.#options;
    const patienceEnds = clock.now() + busyTimeoutMs;
    while (true) {
      try {
        return (await this.#connect()).transaction(mode, work);
      } catch (thrown) {
        if (!isSqliteBusy(thrown) || clock.now() >= patienceEnds) {
          throw toSqliteError(thrown, file, kind);
        }
        await pause(clock);
      }
    }
  }

  /** A number that is another one as soon as another connection has changed the database. */
  async version(): Promise<number> {
    return numberOf(await this.#connect(), "data_version");
  }

  /**
   * Empties the write-ahead log, which still holds what was deleted. Where somebody else reads just
   * now, that is left to a later checkpoint.
   */
  async emptyLog(): Promise<void> {
    try {
      (await this.#connect()).get("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // What was deleted is deleted, whatever becomes of the log.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    connection?.database.close();
  }

  #connect(): Promise<Connection> {
    if (this.#closed) {
      const { file, kind } = this.#options;
      const message = `The database ${file} was closed.`;
      return Promise.reject(kind.error(message, { code: "store-unavailable" }));
    }
    this.#connection ??= connect(this.#options).catch((thrown) => {
      this.#connection = undefined; // the next use tries again
      throw thrown;
    });
    return this.#connection;
  }
}

class Connection implements SqliteStatements {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  all(sql: string, values: readonly SQLInputValue[] = []): readonly SqliteRow[] {
    return this.#prepare(sql).all(...values);
  }

  get(sql: string, values: readonly SQLInputValue[] = []): SqliteRow | undefined {
    return this.#prepare(sql).get(...values);
  }

  transaction<Result>(
    mode: "read" | "write",
    work: (statements: SqliteStatements) => Result,
  ): Result {
    // A writer takes its lock at once: whoever reads first and writes then may be refused in between.
    this.database.exec(mode === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
    try {
      const result = work(this);
      this.database.exec("COMMIT");
      return result;
    } catch (thrown) {
      try {
        this.database.exec("ROLLBACK");
      } catch {
        // SQLite has rolled back by itself.
      }
      throw thrown;
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    const statement = known ?? this.database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

async function connect({ file, maxBytes, kind }: SqliteDatabaseOptions): Promise<Connection> {
  const sqlite = await loadSqlite();
  await createPrivateFile(file);
  const database = new sqlite.DatabaseSync(file, { timeout: blockingWaitMs });
  try {
    const connection = new Connection(database);
    connection.transaction("read", () => checkOwner(connection, file, kind));
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA foreign_keys = ON");
    database.exec("PRAGMA secure_delete = ON"); // what is deleted is overwritten
    if (maxBytes !== undefined) {
      const pages = Math.floor(maxBytes / numberOf(connection, "page_size"));
      database.exec(`PRAGMA max_page_count = ${Math.max(1, pages)}`);
    }
    // Whoever only reads tables that are up to date need not wait for a writer.
    if (numberOf(connection, "user_version") !== sqliteMigrations.length) {
      connection.transaction("write", () => migrate(connection, file, kind));
    }
    return connection;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

async function loadSqlite(): Promise<typeof import("node:sqlite")> {
  try {
    return await import("node:sqlite");
  } catch (cause) {
    throw new ConfigurationError(
      "This runtime has no node:sqlite. Use Node 22.18 or newer, or another store.",
      { code: "missing-package", cause },
    );
  }
}

/** Conversations are private: SQLite gives its other files the permissions of this one. */
async function createPrivateFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const created = await open(file, "a", 0o600);
  await created.close();
}

/** Leaves the databases of other programs alone. */
function checkOwner(connection: Connection, file: string, kind: StoreKind): void {
  const owner = numberOf(connection, "application_id");
  const tables = Number(connection.get("SELECT count(*) AS tables FROM sqlite_schema")?.["tables"]);
  if (owner !== applicationId && (owner !== 0 || tables > 0)) {
    throw kind.error(
      `The file ${file} is a database of another program. Name a file of its own for the ${kind.what}.`,
      { code: "store-corrupt" },
    );
  }
}

function migrate(connection: Connection, file: string, kind: StoreKind): void {
  const { database } = connection;
  const version = numberOf(connection, "user_version");
  if (version > sqliteMigrations.length) {
    throw kind.error(
      `The database ${file} was written by a newer Dragoman (version ${version} of its tables; this one knows ${sqliteMigrations.length}). Update Dragoman.`,
      { code: "store-too-new" },
    );
  }
  if (version === sqliteMigrations.length) {
    return;
  }
  for (const migration of sqliteMigrations.slice(version)) {
    database.exec(migration);
  }
  database.exec(`PRAGMA application_id = ${applicationId}`);
  database.exec(`PRAGMA user_version = ${sqliteMigrations.length}`);
}

function numberOf(connection: Connection, pragma: string): number {
  return Number(connection.get(`PRAGMA ${pragma}`)?.[pragma]);
}

/** A short while, of random length so that two who wait do not collide again and again. */
function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.startTimer(resolve, 5 + Math.random() * 20);
  });
}
