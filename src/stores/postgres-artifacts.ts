import type {
  ArtifactContent,
  ArtifactFilter,
  ArtifactHolder,
  ArtifactKey,
  ArtifactOwner,
  ArtifactPage,
  ArtifactRetention,
  ArtifactStore,
  ArtifactSummary,
  NewArtifact,
} from "../agent/artifact-store.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import {
  type ArtifactStoreLimits,
  checkArtifactFilter,
  checkArtifactKey,
  checkHolder,
  checkNewArtifact,
  checkRetention,
  defaultArtifactBytes,
  partsOfPlace,
} from "./artifact-record.ts";
import {
  actorColumn,
  artifactIdOf,
  artifactKind,
  recordColumns,
  recordValues,
  rowsToPage,
  toArtifactContent,
  toArtifactSummary,
} from "./artifact-row.ts";
import type { PostgresDatabase, PostgresRow, PostgresStatements } from "./postgres-database.ts";
import { type PostgresStoreOptions, postgresDatabase } from "./postgres-options.ts";

/** Options of {@link postgresArtifacts}. */
export interface PostgresArtifactsOptions extends PostgresStoreOptions, ArtifactStoreLimits {}

/**
 * Artifacts in Postgres 15 or newer, for any number of machines; needs the package `pg`. Tables are
 * created with the first use, in the schema that sessions and runs may share. What was acknowledged
 * survives the server's crash, also where the database is set to commit asynchronously.
 *
 * @throws ConfigurationError where the options name no database, or two; the store's methods:
 *   `missing-package` where `pg` is not installed, else see `ArtifactStore`.
 */
export function postgresArtifacts(
  options: PostgresArtifactsOptions,
): ArtifactStore & AsyncDisposable {
  const { maxArtifactBytes = defaultArtifactBytes, clock = systemClock, ...place } = options;
  const database = postgresDatabase({ ...place, clock }, artifactKind);
  return new PostgresArtifacts(database, clock, maxArtifactBytes);
}

/** How many artifacts are looked at in one transaction, so that others may write in between. */
const removedAtOnce = 200;

/**
 * The row of an artifact is locked by whoever adds a record of it, and, against all others, by whoever
 * removes records of it: so nobody takes away bytes that somebody else has just made a record of.
 */
class PostgresArtifacts implements ArtifactStore, AsyncDisposable {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  readonly #maxArtifactBytes: number;
  readonly #artifacts: string;
  readonly #records: string;

  constructor(database: PostgresDatabase, clock: Clock, maxArtifactBytes: number) {
    this.#database = database;
    this.#clock = clock;
    this.#maxArtifactBytes = maxArtifactBytes;
    this.#artifacts = `${database.schema}.artifacts`;
    this.#records = `${database.schema}.artifact_records`;
  }

  async put(artifact: NewArtifact): Promise<ArtifactSummary> {
    checkNewArtifact(artifact, this.#maxArtifactBytes);
    const { bytes } = artifact;
    const id = artifactIdOf(bytes);
    const values = recordValues(artifact, { id, createdAt: this.#clock.now() });
    const row = await this.#database.transaction(true, async (statements) => {
      await this.#keepBytes(statements, [artifact.app, actorColumn(artifact.actor), id], bytes);
      return statements.get(
        `INSERT INTO ${this.#records} AS old (${recordColumns})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (app, actor, id, run)
           DO UPDATE SET session = coalesce(old.session, excluded.session)
         RETURNING ${recordColumns}`,
        values,
      );
    });
    return toArtifactSummary(row ?? {}); // it was written just now
  }

  async get(key: ArtifactKey): Promise<ArtifactContent | undefined> {
    if (!checkArtifactKey(key)) {
      return undefined;
    }
    const row = await this.#database.transaction(true, (statements) =>
      statements.get(
        `SELECT * FROM ${this.#records} NATURAL JOIN ${this.#artifacts}
         WHERE app = $1 AND actor = $2 AND id = $3 ORDER BY created_at DESC LIMIT 1`,
        [key.app, actorColumn(key.actor), key.id],
      ),
    );
    return row && toArtifactContent(row);
  }

  async list(filter: ArtifactFilter): Promise<ArtifactPage> {
    const size = checkArtifactFilter(filter);
    const { app, actor, runId = null, session = null, after } = filter;
    const [createdAt = null, id = null, run = null] = partsOfPlace(after);
    const rows = await this.#database.transaction(true, (statements) =>
      statements.all(
        `SELECT ${recordColumns} FROM ${this.#records}
         WHERE app = $1 AND actor = $2 AND ($3::text IS NULL OR run = $3)
           AND ($4::text IS NULL OR session = $4)
           AND ($5::bigint IS NULL OR (created_at, id, run) < ($5, $6, $7))
         ORDER BY created_at DESC, id DESC, run DESC LIMIT $8`,
        [app, actorColumn(actor), runId, session, createdAt, id, run, size + 1],
      ),
    );
    return rowsToPage(rows, size);
  }

  async delete(key: ArtifactKey): Promise<boolean> {
    return checkArtifactKey(key)
      ? (await this.#remove("app = $1 AND actor = $2 AND id = $3", [
          key.app,
          actorColumn(key.actor),
          key.id,
        ])) > 0
      : false;
  }

  async release(owner: ArtifactOwner, holder: ArtifactHolder): Promise<number> {
    checkHolder(owner, holder);
    const values = [owner.app, actorColumn(owner.actor)];
    switch (holder.kind) {
      case "owner":
        return this.#remove("app = $1 AND actor = $2", values);
      case "session":
        return this.#remove("app = $1 AND actor = $2 AND session = $3", [...values, holder.id]);
      case "run":
        return this.#remove("app = $1 AND actor = $2 AND run = $3 AND session IS NULL", [
          ...values,
          holder.id,
        ]);
    }
  }

  async prune(retention: ArtifactRetention): Promise<number> {
    checkRetention(retention);
    const { app, olderThanMs, maxTotalBytes } = retention;
    const latest = Math.floor(this.#clock.now() - (olderThanMs ?? 0));
    const old =
      olderThanMs === undefined
        ? 0
        : await this.#remove("app = $1 AND created_at <= $2", [app, latest]);
    return old + (maxTotalBytes === undefined ? 0 : await this.#shrink(app, maxTotalBytes));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database[Symbol.asyncDispose]();
  }

  /** Bytes that are there already are not sent again. Somebody may remove them in between. */
  async #keepBytes(
    statements: PostgresStatements,
    place: readonly string[],
    bytes: Uint8Array,
  ): Promise<void> {
    const lock = `SELECT 1 FROM ${this.#artifacts}
      WHERE app = $1 AND actor = $2 AND id = $3 FOR KEY SHARE`;
    while ((await statements.get(lock, place)) === undefined) {
      await statements.get(
        `INSERT INTO ${this.#artifacts} (app, actor, id, bytes) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING`,
        [...place, bytes],
      );
    }
  }

  /** Removes the oldest artifacts until all of an application are no larger. */
  async #shrink(app: string, maxTotalBytes: number): Promise<number> {
    const rows = await this.#database.transaction(false, (statements) =>
      statements.all(
        `SELECT actor, id, newest FROM (
           SELECT actor, id, newest, sum(size) OVER (ORDER BY newest DESC, id, actor) AS total FROM (
             SELECT actor, id, size, max(created_at) AS newest
             FROM ${this.#records} WHERE app = $1 GROUP BY actor, id, size) AS artifact) AS summed
         WHERE total > $2`,
        [app, Math.floor(maxTotalBytes)],
      ),
    );
    let gone = 0;
    const which = "app = $1 AND actor = $2 AND id = $3 AND created_at <= $4";
    for (const { actor, id, newest } of rows) {
      gone += await this.#remove(which, [app, actor, id, newest]);
    }
    return gone;
  }

  /** Removes records by a condition, and the artifacts that have none then. @returns how many artifacts. */
  async #remove(condition: string, values: readonly unknown[]): Promise<number> {
    let gone = 0;
    for (let locked = removedAtOnce; locked === removedAtOnce; ) {
      [locked, gone] = await this.#database.transaction(false, async (statements) => {
        const rows = await this.#lock(statements, condition, values);
        return [
          rows.length,
          gone + (await this.#removeLocked(statements, rows, { condition, values })),
        ];
      });
    }
    return gone;
  }

  /** Some of the artifacts that have such records, in an order that all keep to. */
  #lock(
    statements: PostgresStatements,
    condition: string,
    values: readonly unknown[],
  ): Promise<readonly PostgresRow[]> {
    return statements.all(
      `SELECT app, actor, id FROM ${this.#artifacts} WHERE (app, actor, id) IN
         (SELECT app, actor, id FROM ${this.#records} WHERE ${condition}
          GROUP BY app, actor, id LIMIT ${removedAtOnce})
       ORDER BY app, actor, id FOR UPDATE`,
      values,
    );
  }

  async #removeLocked(
    statements: PostgresStatements,
    rows: readonly PostgresRow[],
    { condition, values }: { readonly condition: string; readonly values: readonly unknown[] },
  ): Promise<number> {
    const places = [...values, rows.map(({ actor }) => actor), rows.map(({ id }) => id)];
    const [actors, ids] = [`$${values.length + 1}::text[]`, `$${values.length + 2}::text[]`];
    await statements.get(
      `DELETE FROM ${this.#records}
       WHERE ${condition} AND (actor, id) IN (SELECT * FROM unnest(${actors}, ${ids}))`,
      places,
    );
    const gone = await statements.all(
      `DELETE FROM ${this.#artifacts} AS artifact
       WHERE app = $1 AND (actor, id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
         AND NOT EXISTS (SELECT 1 FROM ${this.#records} AS record WHERE
           (record.app, record.actor, record.id) = (artifact.app, artifact.actor, artifact.id))
       RETURNING 1`,
      [values[0], ...places.slice(values.length)],
    );
    return gone.length;
  }
}
