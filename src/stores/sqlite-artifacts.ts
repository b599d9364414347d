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
import type { SqliteDatabase, SqliteRow, SqliteStatements } from "./sqlite-database.ts";
import { type SqliteStoreOptions, sqliteDatabase } from "./sqlite-options.ts";

/** Options of {@link sqliteArtifacts}. */
export interface SqliteArtifactsOptions extends SqliteStoreOptions, ArtifactStoreLimits {}

/**
 * Artifacts in one file, by the SQLite that Node brings along. Any number of processes of one machine
 * may use the file at once, and it may hold sessions and runs, too. What was acknowledged survives
 * `kill -9`, and with an honest disk a power cut. What is removed is overwritten.
 *
 * SQLite works in the process's own thread: while an artifact of 32 MiB is written, which takes some
 * tenths of a second, nothing else runs. Where files are large and many, take `fileArtifacts`.
 *
 * Opened with the first use; dispose of it to close.
 *
 * @throws ConfigurationError where `file` names none; the store's methods: see `ArtifactStore`.
 */
export function sqliteArtifacts(options: SqliteArtifactsOptions): ArtifactStore & AsyncDisposable {
  const { maxArtifactBytes = defaultArtifactBytes, clock = systemClock, ...place } = options;
  const database = sqliteDatabase({ ...place, clock }, artifactKind);
  return new SqliteArtifacts(database, clock, maxArtifactBytes);
}

/** How many records are removed in one transaction, so that others may write in between. */
const removedAtOnce = 200;

/** That no record is left of an artifact. */
const unheld = `AND NOT EXISTS (SELECT 1 FROM artifact_records AS record
  WHERE (record.app, record.actor, record.id) = (artifacts.app, artifacts.actor, artifacts.id))`;

class SqliteArtifacts implements ArtifactStore, AsyncDisposable {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;
  readonly #maxArtifactBytes: number;

  constructor(database: SqliteDatabase, clock: Clock, maxArtifactBytes: number) {
    this.#database = database;
    this.#clock = clock;
    this.#maxArtifactBytes = maxArtifactBytes;
  }

  async put(artifact: NewArtifact): Promise<ArtifactSummary> {
    checkNewArtifact(artifact, this.#maxArtifactBytes);
    const { app, runId, session = null, bytes } = artifact;
    const id = artifactIdOf(bytes);
    const actor = actorColumn(artifact.actor);
    const values = recordValues(artifact, { id, createdAt: this.#clock.now() });
    const row = await this.#database.transaction("write", (statements) => {
      statements.get(
        "INSERT INTO artifacts (app, actor, id, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [app, actor, id, bytes],
      );
      statements.get(
        `INSERT INTO artifact_records (${recordColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET session = coalesce(session, ?)`,
        [...values, session],
      );
      return statements.get(
        `SELECT ${recordColumns} FROM artifact_records
         WHERE app = ? AND actor = ? AND id = ? AND run = ?`,
        [app, actor, id, runId],
      );
    });
    return toArtifactSummary(row ?? {}); // it was written just now
  }

  async get(key: ArtifactKey): Promise<ArtifactContent | undefined> {
    if (!checkArtifactKey(key)) {
      return undefined;
    }
    const row = await this.#database.transaction("read", (statements) =>
      statements.get(
        `SELECT * FROM artifact_records NATURAL JOIN artifacts
         WHERE app = ? AND actor = ? AND id = ? ORDER BY created_at DESC LIMIT 1`,
        [key.app, actorColumn(key.actor), key.id],
      ),
    );
    return row && toArtifactContent(row);
  }

  async list(filter: ArtifactFilter): Promise<ArtifactPage> {
    const size = checkArtifactFilter(filter);
    const { app, actor, runId = null, session = null, after } = filter;
    const [createdAt = null, id = null, run = null] = partsOfPlace(after);
    const rows = await this.#database.transaction("read", (statements) =>
      statements.all(
        `SELECT ${recordColumns} FROM artifact_records
         WHERE app = ? AND actor = ? AND (? IS NULL OR run = ?) AND (? IS NULL OR session = ?)
           AND (? IS NULL OR (created_at, id, run) < (?, ?, ?))
         ORDER BY created_at DESC, id DESC, run DESC LIMIT ?`,
        [
          ...[app, actorColumn(actor), runId, runId, session, session],
          ...[createdAt, createdAt, id, run, size + 1],
        ],
      ),
    );
    return rowsToPage(rows, size);
  }

  async delete(key: ArtifactKey): Promise<boolean> {
    return checkArtifactKey(key)
      ? (await this.#remove("app = ? AND actor = ? AND id = ?", [
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
        return this.#remove("app = ? AND actor = ?", values);
      case "session":
        return this.#remove("app = ? AND actor = ? AND session = ?", [...values, holder.id]);
      case "run":
        return this.#remove("app = ? AND actor = ? AND run = ? AND session IS NULL", [
          ...values,
          holder.id,
        ]);
    }
  }

  async prune(retention: ArtifactRetention): Promise<number> {
    checkRetention(retention);
    const { app, olderThanMs, maxTotalBytes } = retention;
    const old =
      olderThanMs === undefined
        ? 0
        : await this.#remove("app = ? AND created_at <= ?", [app, this.#clock.now() - olderThanMs]);
    return old + (maxTotalBytes === undefined ? 0 : await this.#shrink(app, maxTotalBytes));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database[Symbol.asyncDispose]();
  }

  /** Removes the oldest artifacts until all of an application are no larger. */
  async #shrink(app: string, maxTotalBytes: number): Promise<number> {
    const gone = await this.#database.transaction("write", (statements) => {
      const oldest = statements.all(
        `SELECT app, actor, id, size FROM (
           SELECT app, actor, id, size, sum(size) OVER (ORDER BY newest DESC, id, actor) AS total FROM (
             SELECT app, actor, id, size, max(created_at) AS newest
             FROM artifact_records WHERE app = ? GROUP BY app, actor, id))
         WHERE total > ?`,
        [app, maxTotalBytes],
      );
      return removeArtifacts(statements, oldest);
    });
    return this.#removed(gone);
  }

  /** Removes records by a condition, and the artifacts that have none then. @returns how many artifacts. */
  async #remove(condition: string, values: readonly (string | number)[]): Promise<number> {
    let gone = 0;
    for (let removed = removedAtOnce; removed === removedAtOnce; ) {
      [removed, gone] = await this.#database.transaction("write", (statements) => {
        const rows = statements.all(
          `DELETE FROM artifact_records WHERE rowid IN
             (SELECT rowid FROM artifact_records WHERE ${condition} LIMIT ?)
           RETURNING app, actor, id`,
          [...values, removedAtOnce],
        );
        return [rows.length, gone + removeArtifacts(statements, rows, unheld)] as const;
      });
    }
    return this.#removed(gone);
  }

  /** The log, too, forgets what was removed. */
  async #removed(count: number): Promise<number> {
    if (count > 0) {
      await this.#database.emptyLog();
    }
    return count;
  }
}

function removeArtifacts(
  statements: SqliteStatements,
  rows: readonly SqliteRow[],
  unless = "",
): number {
  const removed = rows.map(({ app = "", actor = "", id = "" }) =>
    statements.get(
      `DELETE FROM artifacts WHERE app = ? AND actor = ? AND id = ? ${unless} RETURNING id`,
      [app, actor, id],
    ),
  );
  return removed.filter((one) => one !== undefined).length;
}
