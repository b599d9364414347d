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
import type { SqliteDatabase, SqliteRow, SqliteStatements } from "./sqlite-database.ts";
import { type SqliteStoreOptions, sqliteDatabase } from "./sqlite-options.ts";

/**
 * Sessions in one file, by the SQLite that Node brings along: nothing to install. Any number of
 * processes of one machine may use the file at once. What was acknowledged survives `kill -9`.
 *
 * Opened with the first use; dispose of it to close. Node 22 prints a warning that SQLite is
 * experimental.
 *
 * @throws ConfigurationError where `file` names none; the store's methods: see `SessionStore`.
 */
export function sqliteSessions(options: SqliteStoreOptions): SessionStore {
  return new SqliteSessions(sqliteDatabase(options, sessionKind), options.clock ?? systemClock);
}

class SqliteSessions implements SessionStore {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;

  constructor(database: SqliteDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async create(session: NewSession): Promise<Session> {
    checkNewSession(session);
    const { app, id = createId("session"), actor = null, title = null, state = {} } = session;
    const now = this.#clock.now();
    const text = encodeState(state);
    const row = await this.#database.transaction("write", (statements) =>
      statements.get(
        `INSERT INTO sessions (app, id, actor, title, state, length, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, 0, ?, ?) ON CONFLICT DO NOTHING RETURNING *`,
        [app, id, actor, title, text, now, now],
      ),
    );
    if (row === undefined) {
      throw sessionExists(id);
    }
    return toSession(row);
  }

  async get(key: SessionKey): Promise<Session | undefined> {
    checkKey(key);
    const row = await this.#database.transaction("read", (statements) => find(statements, key));
    return row === undefined ? undefined : toSession(row);
  }

  async messages(key: SessionKey, range: MessageRange = {}): Promise<readonly StoredMessage[]> {
    checkKey(key);
    checkRange(range);
    const { after = 0, upTo = Number.MAX_SAFE_INTEGER, limit = -1 } = range;
    const rows = await this.#database.transaction("read", (statements) =>
      statements.all(
        `SELECT sequence, time, group_id, message FROM messages
         WHERE session = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`,
        [keyOf(demand(statements, key)), after, upTo, limit],
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
    const { expectedLength, groupId = null } = options;
    const texts = messages.map(encodeMessage);
    return this.#database.transaction("write", (statements) => {
      const session = demand(statements, key);
      const known = endOfGroup(statements, session, groupId);
      if (known !== undefined) {
        return known;
      }
      const length = Number(session["length"]);
      checkLength(key, length, expectedLength);
      if (texts.length === 0) {
        return length;
      }
      const time = Math.max(this.#clock.now(), Number(session["updated_at"]));
      texts.forEach((text, index) => {
        statements.get(
          "INSERT INTO messages (session, sequence, group_id, time, message) VALUES (?, ?, ?, ?, ?)",
          [keyOf(session), length + index + 1, groupId, time, text],
        );
      });
      statements.get("UPDATE sessions SET length = ?, updated_at = ? WHERE key = ?", [
        length + texts.length,
        time,
        keyOf(session),
      ]);
      return length + texts.length;
    });
  }

  async update(key: SessionKey, { title, state }: SessionChanges): Promise<Session> {
    checkKey(key);
    checkTitle(title);
    return this.#database.transaction("write", (statements) => {
      const session = demand(statements, key);
      const text = encodeState(mergeState(toState(session), state));
      const now = Math.max(this.#clock.now(), Number(session["updated_at"]));
      statements.get(
        "UPDATE sessions SET title = coalesce(?, title), state = ?, updated_at = ? WHERE key = ?",
        [title ?? null, text, now, keyOf(session)],
      );
      return toSession(demand(statements, key));
    });
  }

  async list(filter: SessionFilter): Promise<SessionPage> {
    const size = checkFilter(filter);
    const { updatedAt, id } = parseCursor(filter.after) ?? { updatedAt: null, id: null };
    const actor = filter.actor ?? null;
    const rows = await this.#database.transaction("read", (statements) =>
      statements.all(
        `SELECT app, id, actor, title, length, created_at, updated_at FROM sessions
         WHERE app = ? AND (? IS NULL OR actor = ?)
           AND (? IS NULL OR (updated_at, id) < (?, ?))
         ORDER BY updated_at DESC, id DESC LIMIT ?`,
        [filter.app, actor, actor, updatedAt, updatedAt, id, size + 1],
      ),
    );
    return toPage(rows, size);
  }

  async delete(key: SessionKey): Promise<boolean> {
    checkKey(key);
    const deleted = await this.#database.transaction("write", (statements) => {
      const session = find(statements, key);
      return session === undefined
        ? undefined
        : statements.get("DELETE FROM sessions WHERE key = ? RETURNING key", [keyOf(session)]);
    });
    if (deleted !== undefined) {
      await this.#database.emptyLog();
    }
    return deleted !== undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#database[Symbol.asyncDispose]();
  }
}

function find(statements: SqliteStatements, key: SessionKey): SqliteRow | undefined {
  const { app, id, actor = null } = key;
  return statements.get(
    "SELECT * FROM sessions WHERE app = ? AND id = ? AND (? IS NULL OR actor = ?)",
    [app, id, actor, actor],
  );
}

function demand(statements: SqliteStatements, key: SessionKey): SqliteRow {
  const session = find(statements, key);
  if (session === undefined) {
    throw sessionNotFound(key);
  }
  return session;
}

const keyOf = (session: SqliteRow): number => Number(session["key"]);

function endOfGroup(
  statements: SqliteStatements,
  session: SqliteRow,
  groupId: string | null,
): number | undefined {
  const row = statements.get(
    "SELECT max(sequence) AS last FROM messages WHERE session = ? AND group_id = ?",
    [keyOf(session), groupId],
  );
  return typeof row?.["last"] === "number" ? row["last"] : undefined;
}
