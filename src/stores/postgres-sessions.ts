import type {
  AppendOptions,
  MessageRange,
  NewSession,
  Session,
  SessionChanges,
  SessionFilter,
  SessionKey,
  SessionPage,
  SessionStore,
  StoredMessage,
} from "../agent/session-store.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Message } from "../message/message.ts";
import type { PostgresDatabase, PostgresRow, PostgresStatements } from "./postgres-database.ts";
import { type PostgresStoreOptions, postgresDatabase } from "./postgres-options.ts";
import {
  checkAppend,
  checkFilter,
  checkKey,
  checkNewSession,
  checkRange,
  checkTitle,
} from "./session-limits.ts";
import {
  checkLength,
  encodeMessage,
  encodeState,
  mergeState,
  parseCursor,
  sessionExists,
  sessionKind,
  sessionNotFound,
  toPage,
  toSession,
  toState,
  toStoredMessage,
} from "./session-record.ts";

/**
 * Sessions in Postgres 15 or newer, for any number of machines; needs the package `pg`. Tables are
 * created with the first use, and connections made. Appends to one session take turns by its row's
 * lock. What was acknowledged survives the server's crash, also where the database is set to commit
 * asynchronously.
 *
 * @throws ConfigurationError where the options name no database, or two; the store's methods:
 *   `missing-package` where `pg` is not installed, else see `SessionStore`.
 */
export function postgresSessions(options: PostgresStoreOptions): SessionStore {
  return new PostgresSessions(postgresDatabase(options, sessionKind), options.clock ?? systemClock);
}

class PostgresSessions implements SessionStore {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  readonly #schema: string;

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#schema = database.schema;
  }

  async create(session: NewSession): Promise<Session> {
    checkNewSession(session);
    const { app, id = createId("session"), actor = null, title = null, state = {} } = session;
    const text = encodeState(state);
    const row = await this.#database.transaction(false, (statements) =>
      statements.get(
        `INSERT INTO ${this.#schema}.sessions
           (app, id, actor, title, state, length, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, 0, $6, $6) ON CONFLICT DO NOTHING RETURNING *`,
        [app, id, actor, title, text, this.#clock.now()],
      ),
    );
    if (row === undefined) {
      throw sessionExists(id);
    }
    return toSession(row);
  }

  async get(key: SessionKey): Promise<Session | undefined> {
    checkKey(key);
    const row = await this.#database.transaction(true, (statements) => this.#find(statements, key));
    return row === undefined ? undefined : toSession(row);
  }

  async messages(key: SessionKey, range: MessageRange = {}): Promise<readonly StoredMessage[]> {
    checkKey(key);
    checkRange(range);
    const { after = 0, upTo = null, limit = null } = range;
    const rows = await this.#database.transaction(true, async (statements) =>
      statements.all(
        `SELECT sequence, time, group_id, message FROM ${this.#schema}.messages
         WHERE session = $1 AND sequence > $2 AND ($3::bigint IS NULL OR sequence <= $3)
         ORDER BY sequence LIMIT $4`,
        [(await this.#demand(statements, key))["key"], after, upTo, limit],
      ),
    );
    return rows.map(toStoredMessage);
  }

  async append(
    key: SessionKey,
    messages: readonly Message[],
    options: AppendOptions = {},
  ): Promise<number> {
    checkKey(key);
    checkAppend(options);
    const { expectedLength, groupId } = options;
    const texts = messages.map(encodeMessage);
    return this.#database.transaction(groupId !== undefined, async (statements) => {
      const session = await this.#demand(statements, key, "FOR UPDATE");
      const known = await this.#endOfGroup(statements, session, groupId);
      if (known !== undefined) {
        return known;
      }
      const length = Number(session["length"]);
      checkLength(key, length, expectedLength);
      if (texts.length === 0) {
        return length;
      }
      const time = Math.max(this.#clock.now(), Number(session["updated_at"]));
      await statements.get(
        `INSERT INTO ${this.#schema}.messages (session, sequence, group_id, time, message)
         SELECT $1, $2 + ordinality, $3, $4, text
         FROM unnest($5::text[]) WITH ORDINALITY AS texts (text, ordinality)`,
        [session["key"], length, groupId ?? null, time, texts],
      );
      await statements.get(
        `UPDATE ${this.#schema}.sessions SET length = $2, updated_at = $3 WHERE key = $1`,
        [session["key"], length + texts.length, time],
      );
      return length + texts.length;
    });
  }

  async update(key: SessionKey, { title, state }: SessionChanges): Promise<Session> {
    checkKey(key);
    checkTitle(title);
    return this.#database.transaction(true, async (statements) => {
      const session = await this.#demand(statements, key, "FOR UPDATE");
      const text = encodeState(mergeState(toState(session), state));
      const time = Math.max(this.#clock.now(), Number(session["updated_at"]));
      await statements.get(
        `UPDATE ${this.#schema}.sessions
         SET title = coalesce($2, title), state = $3, updated_at = $4 WHERE key = $1`,
        [session["key"], title ?? null, text, time],
      );
      return toSession(await this.#demand(statements, key));
    });
  }

  async list(filter: SessionFilter): Promise<SessionPage> {
    const size = checkFilter(filter);
    const { updatedAt, id } = parseCursor(filter.after) ?? { updatedAt: null, id: null };
    const rows = await this.#database.transaction(true, (statements) =>
      statements.all(
        `SELECT app, id, actor, title, length, created_at, updated_at FROM ${this.#schema}.sessions
         WHERE app = $1 AND ($2::text IS NULL OR actor = $2)
           AND ($3::bigint IS NULL OR (updated_at, id) < ($3, $4))
         ORDER BY updated_at DESC, id DESC LIMIT $5`,
        [filter.app, filter.actor ?? null, updatedAt, id, size + 1],
      ),
    );
    return toPage(rows, size);
  }

  async delete(key: SessionKey): Promise<boolean> {
    checkKey(key);
    const deleted = await this.#database.transaction(false, (statements) =>
      statements.get(
        `DELETE FROM ${this.#schema}.sessions
         WHERE app = $1 AND id = $2 AND ($3::text IS NULL OR actor = $3) RETURNING key`,
        [key.app, key.id, key.actor ?? null],
      ),
    );
    return deleted !== undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database[Symbol.asyncDispose]();
  }

  #find(
    statements: PostgresStatements,
    { app, id, actor }: SessionKey,
    lock: "FOR UPDATE" | "" = "",
  ): Promise<PostgresRow | undefined> {
    return statements.get(
      `SELECT * FROM ${this.#schema}.sessions
       WHERE app = $1 AND id = $2 AND ($3::text IS NULL OR actor = $3) ${lock}`,
      [app, id, actor ?? null],
    );
  }

  async #demand(
    statements: PostgresStatements,
    key: SessionKey,
    lock: "FOR UPDATE" | "" = "",
  ): Promise<PostgresRow> {
    const session = await this.#find(statements, key, lock);
    if (session === undefined) {
      throw sessionNotFound(key);
    }
    return session;
  }

  async #endOfGroup(
    statements: PostgresStatements,
    session: PostgresRow,
    groupId: string | undefined,
  ): Promise<number | undefined> {
    if (groupId === undefined) {
      return undefined;
    }
    const row = await statements.get(
      `SELECT max(sequence) AS last FROM ${this.#schema}.messages
       WHERE session = $1 AND group_id = $2`,
      [session["key"], groupId],
    );
    const last = row?.["last"] ?? null;
    return last === null ? undefined : Number(last);
  }
}
