import type { Clock } from "../base/clock.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Secret } from "../base/secret.ts";
import type { PostgresClient, PostgresPool } from "./postgres-client.ts";
import { isPassing, toPostgresError } from "./postgres-error.ts";
import { postgresMigrations } from "./postgres-schema.ts";
import type { StoreKind } from "./store-kind.ts";

/** Which database, and how patient to be. */
export interface PostgresDatabaseOptions {
  /** A pool of the application's, or where to connect. */
  readonly source: PostgresPool | Secret;
  /** The schema's name, checked: it stands in statements as it is. */
  readonly schema: string;
  readonly maxConnections: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** How long to go on trying while the server is away. */
  readonly retryMs: number;
  readonly clock: Clock;
  /** What is kept there. */
  readonly kind: StoreKind;
}

/** A row, by its columns. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** What a transaction may do. */
export interface PostgresStatements {
  /** Several statements in one text, whose rows nobody wants. */
  run(sql: string): Promise<void>;
  all(sql: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]>;
  get(sql: string, values?: readonly unknown[]): Promise<PostgresRow | undefined>;
}

/** Names our advisory lock among those of others: "drgm". */
const migrationLock = 0x6472_676d;

/**
 * Our tables in a Postgres database, created with the first use. A transaction that was fulfilled
 * survives the server's crash, also where the database is set to commit asynchronously.
 */
export class PostgresDatabase implements AsyncDisposable {
  readonly #options: PostgresDatabaseOptions;
  /** The pool that we have made, if we have. */
  #ownPool: Promise<OwnPool> | undefined;
  #migrated: Promise<void> | undefined;
  #closed = false;

  constructor(options: PostgresDatabaseOptions) {
    this.#options = options;
  }

  /** The schema, to be put before a table's name. */
  get schema(): string {
    return this.#options.schema;
  }

  /**
   * Does `work` as one transaction: all of it holds, or, where it throws, nothing. It is done again
   * while the server is away, for as long as is known that it has not been done.
   *
   * @param repeatable whether a second time does no harm, so that it is done again in any case.
   * @throws errors of the store's kind; what `work` throws.
   */
  async transaction<Result>(
    repeatable: boolean,
    work: (statements: PostgresStatements) => Promise<Result>,
  ): Promise<Result> {
    return this.#patiently(repeatable, async (progress) => {
      await this.#upToDate();
      return this.#once(work, progress);
    });
  }

  #upToDate(): Promise<void> {
    this.#migrated ??= this.#migrate().catch((thrown) => {
      this.#migrated = undefined; // the next use tries again
      throw thrown;
    });
    return this.#migrated;
  }

  /**
   * A connection that hears what is said on a channel. Once per connection lost, `onEnd` is called, and
   * nothing is heard any more.
   *
   * @returns what gives the connection back.
   * @throws errors of the store's kind.
   */
  async listen(
    channel: string,
    onMessage: (text: string) => void,
    onEnd: () => void,
  ): Promise<() => void> {
    return this.#patiently(true, async () => {
      await this.#upToDate();
      const client = await this.#connect();
      let over = false;
      const leave = (tell: boolean): void => {
        if (!over) {
          over = true;
          client.release(true); // closed, since it would go on listening
          if (tell) {
            onEnd();
          }
        }
      };
      // What comes after the end says nothing new; unheard, an error would end the process.
      client.on("error", () => leave(true));
      client.on("end", () => leave(true));
      client.on("notification", ({ payload }) => onMessage(payload ?? ""));
      try {
        await client.query(`LISTEN ${channel}`);
      } catch (thrown) {
        leave(false);
        throw thrown;
      }
      return () => leave(false);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const pool = await this.#ownPool?.catch(() => undefined);
    this.#ownPool = undefined;
    await pool?.end();
  }

  async #patiently<Result>(
    repeatable: boolean,
    attempt: (progress: Progress) => Promise<Result>,
  ): Promise<Result> {
    const { clock, retryMs } = this.#options;
    const patienceEnds = clock.now() + retryMs;
    for (let delayMs = 20; ; delayMs = Math.min(delayMs * 2, 1_000)) {
      const progress: Progress = { committing: false };
      try {
        return await attempt(progress);
      } catch (thrown) {
        const unknown = progress.committing && isPassing(thrown);
        const again = isPassing(thrown) && (repeatable || !unknown) && clock.now() < patienceEnds;
        if (!again) {
          throw toPostgresError(thrown, unknown ? "unknown" : "unchanged", this.#options.kind);
        }
        await new Promise<void>((resolve) => {
          clock.startTimer(resolve, delayMs * (0.5 + Math.random()));
        });
      }
    }
  }

  async #once<Result>(
    work: (statements: PostgresStatements) => Promise<Result>,
    progress: Progress,
  ): Promise<Result> {
    const client = await this.#connect();
    // A connection that dies between two statements says so here; unheard, it would end the process.
    const onError = (): void => {};
    client.on("error", onError);
    let broken = true;
    try {
      await client.query(this.#begin());
      const result = await work(statementsOf(client));
      progress.committing = true;
      await client.query("COMMIT");
      broken = false;
      return result;
    } catch (thrown) {
      broken = isPassing(thrown) || !(await rollBack(client));
      throw thrown;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  #begin(): string {
    const { statementTimeoutMs, lockTimeoutMs } = this.#options;
    return `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
      SET LOCAL statement_timeout = ${statementTimeoutMs};
      SET LOCAL lock_timeout = ${lockTimeoutMs};
      SELECT set_config('synchronous_commit', 'on', true)
        WHERE current_setting('synchronous_commit') IN ('off', 'local')`;
  }

  async #connect(): Promise<PostgresClient> {
    if (this.#closed) {
      const { kind } = this.#options;
      const message = `The store of ${kind.what} on Postgres was closed.`;
      throw kind.error(message, { code: "store-unavailable" });
    }
    const { source } = this.#options;
    if ("connect" in source) {
      return source.connect();
    }
    this.#ownPool ??= openPool(source, this.#options);
    return (await this.#ownPool).connect();
  }

  /** Whoever may not create tables needs not, where they are up to date. */
  async #migrate(): Promise<void> {
    const { schema, kind } = this.#options;
    const work = async (statements: PostgresStatements): Promise<void> => {
      if ((await versionOf(statements, schema, kind)) < postgresMigrations.length) {
        await statements.get("SELECT pg_advisory_xact_lock($1, hashtext($2))", [
          migrationLock,
          schema,
        ]);
        await migrate(statements, schema, kind);
      }
    };
    await this.#once(work, { committing: false });
  }
}

type Pg = typeof import("pg")["default"];

/** How far a transaction came. */
interface Progress {
  /** From here on a lost connection leaves open whether it holds. */
  committing: boolean;
}

interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

function statementsOf(client: PostgresClient): PostgresStatements {
  const all: PostgresStatements["all"] = async (sql, values = []) =>
    (await client.query(sql, [...values])).rows;
  return {
    all,
    get: async (sql, values) => (await all(sql, values))[0],
    run: async (sql) => {
      await client.query(sql);
    },
  };
}

/** @returns whether the client can be used again. */
async function rollBack(client: PostgresClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
}

async function openPool(
  connectionString: Secret,
  { maxConnections, statementTimeoutMs }: PostgresDatabaseOptions,
): Promise<OwnPool> {
  const { Pool, Client } = await loadPg();
  if (!isConnectionString(connectionString, Client)) {
    throw new ConfigurationError(
      "The connection string of the store is not valid. Write postgres://user:password@host:port/database, with special characters in the password as %-codes.",
      { code: "invalid-configuration" },
    );
  }
  const pool = new Pool({
    connectionString: connectionString.reveal(),
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    query_timeout: statementTimeoutMs + 5_000, // for a server that is not there any more
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "dragoman",
  });
  pool.on("error", () => {}); // an idle connection has died: the pool makes another
  return pool;
}

/** Says no more than yes or no, since what `pg` throws repeats the text, and the password in it. */
function isConnectionString(text: Secret, Client: Pg["Client"]): boolean {
  try {
    new Client({ connectionString: text.reveal() });
    return true;
  } catch {
    return false;
  }
}

async function loadPg(): Promise<typeof import("pg")["default"]> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw new ConfigurationError(
      "A store on Postgres needs the package pg, which is not installed: npm i pg",
      { code: "missing-package", cause },
    );
  }
}

/** Called by one at a time. */
async function migrate(
  statements: PostgresStatements,
  schema: string,
  kind: StoreKind,
): Promise<void> {
  const version = await versionOf(statements, schema, kind); // another may have been first
  if (version === 0) {
    await statements.run(
      `CREATE SCHEMA IF NOT EXISTS ${schema};
       CREATE TABLE ${schema}.store_version (version integer NOT NULL);
       INSERT INTO ${schema}.store_version VALUES (0)`,
    );
  }
  for (const migration of postgresMigrations.slice(version)) {
    await statements.run(migration(schema));
  }
  await statements.get(`UPDATE ${schema}.store_version SET version = ${postgresMigrations.length}`);
}

/** The version of the tables; 0 where there are none. */
async function versionOf(
  statements: PostgresStatements,
  schema: string,
  kind: StoreKind,
): Promise<number> {
  // Not by `to_regclass`: that may remember that there was no table before we waited for the lock.
  const table = await statements.get(
    "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'store_version'",
    [schema],
  );
  if (table === undefined) {
    return 0;
  }
  const row = await statements.get(`SELECT version FROM ${schema}.store_version`);
  const version = Number(row?.["version"]);
  if (version > postgresMigrations.length) {
    throw kind.error(
      `The tables in the Postgres schema ${schema} were made by a newer Dragoman (version ${version}; this one knows ${postgresMigrations.length}). Update Dragoman.`,
      { code: "store-too-new" },
    );
  }
  return version;
}
