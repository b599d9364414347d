import { eventAfter, joinEvents } from "../agent/joined-events.ts";
import { RunBells, type RunPlace } from "../agent/run-bells.ts";
import type { RunEvent } from "../agent/run-event.ts";
import {
  checkEventRange,
  checkNewRun,
  checkRunAge,
  checkRunFilter,
  checkRunKey,
  checkRunOwner,
} from "../agent/run-limits.ts";
import { parseRunCursor, toRunPage } from "../agent/run-page.ts";
import {
  checkDecisions,
  checkTakeOver,
  endStatuses,
  runExists,
  runLost,
  runNotFound,
  undecided,
} from "../agent/run-refusals.ts";
import type {
  EventRange,
  NewRun,
  RunAge,
  RunChanges,
  RunFilter,
  RunKey,
  RunOwner,
  RunPage,
  RunRecord,
  RunStore,
  StepRecord,
} from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import {
  changedColumns,
  changedValues,
  eventValues,
  latestSteps,
  runKind,
  stepValues,
  toJoinedEvent,
  toRunRecord,
  toStepRecord,
} from "./run-row.ts";
import type { SqliteDatabase, SqliteRow, SqliteStatements } from "./sqlite-database.ts";
import { type SqliteStoreOptions, sqliteDatabase } from "./sqlite-options.ts";
import { SqliteWatch } from "./sqlite-watch.ts";

/**
 * Runs in one file, by the SQLite that Node brings along. Any number of processes of one machine may
 * use the file at once, and it may hold sessions, too. What was acknowledged survives `kill -9`, and
 * with an honest disk a power cut: each write is synchronised.
 *
 * Opened with the first use; dispose of it to close. Changes by other processes are seen within a tenth
 * of a second, and looked for only while somebody follows a run.
 *
 * @throws ConfigurationError where `file` names none; the store's methods: see `RunStore`.
 */
export function sqliteRuns(options: SqliteStoreOptions): RunStore {
  return new SqliteRuns(sqliteDatabase(options, runKind), options.clock ?? systemClock);
}

/** How many runs are removed in one transaction, so that others may write in between. */
const removedAtOnce = 200;

class SqliteRuns implements RunStore {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;
  readonly #bells = new RunBells();
  readonly #watch: SqliteWatch;

  constructor(database: SqliteDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#watch = new SqliteWatch(database, clock, () => this.#bells.ringAll());
  }

  async create(run: NewRun, owner: string): Promise<void> {
    checkNewRun(run);
    const { app, id, agent, actor = null, session = null, input } = run;
    const now = this.#clock.now();
    await this.#write(run, (statements) => {
      const created = statements.get(
        `INSERT INTO runs (app, id, agent, actor, session, owner, status, ready, input, waiting,
           decisions, sequence, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, 'running', 0, ?, '[]', '{}', 0, ?, ?)
         ON CONFLICT DO NOTHING RETURNING key`,
        [app, id, agent, actor, session, owner, JSON.stringify(input), now, now],
      );
      if (created === undefined && find(statements, { app, id })?.["owner"] !== owner) {
        throw runExists(id);
      }
    });
  }

  async get(key: RunKey): Promise<RunRecord | undefined> {
    checkRunKey(key);
    const row = await this.#database.transaction("read", (statements) => find(statements, key));
    return row && toRunRecord(row);
  }

  async list(filter: RunFilter): Promise<RunPage> {
    const size = checkRunFilter(filter);
    const { app, actor, status, session, ready, changedBefore } = filter;
    const { updatedAt, id } = parseRunCursor(filter.after) ?? {};
    const conditions: readonly (readonly [string, ...(string | number | undefined)[]])[] = [
      ["app = ?", app],
      ["actor = ?", actor],
      ["status = ?", status],
      ["session = ?", session],
      ["ready = ?", ready === undefined ? undefined : Number(ready)],
      ["updated_at < ?", changedBefore],
      ["(updated_at, id) < (?, ?)", updatedAt, id],
    ];
    const set = conditions.filter(([, value]) => value !== undefined);
    const values = set.flatMap(([, ...given]) => given as (string | number)[]); // those that are set
    const rows = await this.#database.transaction("read", (statements) =>
      statements.all(
        `SELECT * FROM runs WHERE ${set.map(([condition]) => condition).join(" AND ")}
         ORDER BY updated_at DESC, id DESC LIMIT ?`,
        [...values, size + 1],
      ),
    );
    return toRunPage(rows.map(toRunRecord), size);
  }

  async steps(key: RunKey): Promise<readonly StepRecord[]> {
    checkRunKey(key);
    const rows = await this.#database.transaction("read", (statements) =>
      statements.all("SELECT key, tries, value FROM run_steps WHERE run = ? ORDER BY ordinal", [
        keyOf(demand(statements, key)),
      ]),
    );
    return rows.map(toStepRecord);
  }

  async events(key: RunKey, range: EventRange = {}): Promise<readonly RunEvent[]> {
    checkRunKey(key);
    checkEventRange(range);
    const { after = 0, limit = -1 } = range;
    const rows = await this.#database.transaction("read", (statements) =>
      statements.all(
        `SELECT sequence, event, pieces FROM run_events
         WHERE run = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
        [keyOf(demand(statements, key)), after, limit],
      ),
    );
    return rows.map((row) => eventAfter(toJoinedEvent(row), after));
  }

  async write(key: RunKey, owner: string, changes: RunChanges): Promise<void> {
    checkRunKey(key);
    const { steps = [], events = [] } = changes;
    const sequence = events.at(-1)?.sequence ?? 0;
    const columns = changedColumns.map((column) => `${column} = coalesce(?, ${column})`);
    await this.#write(key, (statements) => {
      const before = demand(statements, key);
      if (before["owner"] !== owner) {
        throw runLost(key.id);
      }
      const run = keyOf(before);
      statements.get(
        `UPDATE runs SET ${columns.join(", ")}, sequence = max(sequence, ?),
           updated_at = max(updated_at, ?) WHERE key = ?`,
        [...changedValues(changes), sequence, this.#clock.now(), run],
      );
      for (const step of latestSteps(steps)) {
        statements.get(
          `INSERT INTO run_steps (run, key, tries, value) VALUES (?, ?, ?, ?)
           ON CONFLICT (run, key) DO UPDATE SET tries = excluded.tries, value = excluded.value`,
          [run, ...stepValues(step)],
        );
      }
      const kept = Number(before["sequence"]);
      for (const event of joinEvents(events.filter((one) => one.sequence > kept))) {
        statements.get(
          "INSERT INTO run_events (run, sequence, event, pieces) VALUES (?, ?, ?, ?)",
          [run, ...eventValues(event)],
        );
      }
    });
  }

  async decide(key: RunKey, decisions: Readonly<Record<string, Decision>>): Promise<RunRecord> {
    checkRunKey(key);
    return this.#write(key, (statements) => {
      const record = toRunRecord(demand(statements, key));
      checkDecisions(record, decisions);
      const all = JSON.stringify({ ...record.decisions, ...decisions });
      return toRunRecord(
        change(statements, key, "decisions = ?, ready = 1", [all], this.#clock.now()),
      );
    });
  }

  async takeOver(
    key: RunKey,
    owner: string,
    decisions: Readonly<Record<string, Decision>> = {},
  ): Promise<RunRecord> {
    checkRunKey(key);
    return this.#write(key, (statements) => {
      const row = demand(statements, key);
      const record = toRunRecord(row);
      if (row["owner"] === owner) {
        return record;
      }
      checkTakeOver(record, decisions);
      const all = { ...record.decisions, ...decisions };
      const waiting = JSON.stringify(undecided(record, all));
      const columns = "owner = ?, status = 'running', ready = 0, decisions = ?, waiting = ?";
      const values = [owner, JSON.stringify(all), waiting];
      return toRunRecord(change(statements, key, columns, values, this.#clock.now()));
    });
  }

  async *changes(of: RunPlace, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const leave = this.#watch.enter();
    try {
      yield* this.#bells.listen(of, signal);
    } finally {
      leave();
    }
  }

  async delete(key: RunKey): Promise<boolean> {
    checkRunKey(key);
    const { app, id, actor = null } = key;
    return (
      (await this.#remove("app = ? AND id = ? AND (? IS NULL OR actor = ?)", [
        app,
        id,
        actor,
        actor,
      ])) > 0
    );
  }

  async deleteAll(owner: RunOwner): Promise<number> {
    checkRunOwner(owner);
    const { app, actor = null, session = null } = owner;
    return this.#remove("app = ? AND (? IS NULL OR actor = ?) AND (? IS NULL OR session = ?)", [
      app,
      actor,
      actor,
      session,
      session,
    ]);
  }

  async prune(age: RunAge): Promise<number> {
    checkRunAge(age);
    const { app, olderThanMs, status = endStatuses } = age;
    return this.#remove(
      "app = ? AND updated_at <= ? AND status IN (SELECT value FROM json_each(?))",
      [app, this.#clock.now() - olderThanMs, JSON.stringify(status)],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.stop();
    await this.#database[Symbol.asyncDispose]();
    this.#bells.ringAll();
  }

  async #write<Result>(
    place: Required<RunPlace>,
    work: (statements: SqliteStatements) => Result,
  ): Promise<Result> {
    const result = await this.#database.transaction("write", work);
    this.#bells.ring(place);
    return result;
  }

  /** Removes runs by a condition; the log, too, forgets them. @returns how many. */
  async #remove(condition: string, values: readonly (string | number | null)[]): Promise<number> {
    let count = 0;
    for (let removed = removedAtOnce; removed === removedAtOnce; count += removed) {
      const rows = await this.#database.transaction("write", (statements) =>
        statements.all(
          `DELETE FROM runs WHERE key IN (SELECT key FROM runs WHERE ${condition} LIMIT ?)
           RETURNING app, id`,
          [...values, removedAtOnce],
        ),
      );
      for (const { app, id } of rows) {
        this.#bells.ring({ app: String(app), id: String(id) });
      }
      removed = rows.length;
    }
    if (count > 0) {
      await this.#database.emptyLog();
    }
    return count;
  }
}

function find(statements: SqliteStatements, key: RunKey): SqliteRow | undefined {
  const { app, id, actor = null } = key;
  return statements.get(
    "SELECT * FROM runs WHERE app = ? AND id = ? AND (? IS NULL OR actor = ?)",
    [app, id, actor, actor],
  );
}

function demand(statements: SqliteStatements, key: RunKey): SqliteRow {
  const run = find(statements, key);
  if (run === undefined) {
    throw runNotFound(key.id);
  }
  return run;
}

const keyOf = (run: SqliteRow): number => Number(run["key"]);

/** Changes columns of a run. @returns its row after that. */
function change(
  statements: SqliteStatements,
  key: RunKey,
  columns: string,
  values: readonly string[],
  now: number,
): SqliteRow {
  const { app, id } = key;
  statements.get(
    `UPDATE runs SET ${columns}, updated_at = max(updated_at, ?) WHERE app = ? AND id = ?`,
    [...values, now, app, id],
  );
  return demand(statements, key);
}
