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
import type { PostgresDatabase, PostgresRow, PostgresStatements } from "./postgres-database.ts";
import { type PostgresStoreOptions, postgresDatabase } from "./postgres-options.ts";
import { PostgresRunReads } from "./postgres-run-reads.ts";
import { PostgresWatch, runChannel, runMessage } from "./postgres-watch.ts";
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

/**
 * Runs in Postgres 15 or newer, for any number of machines; needs the package `pg`. Tables are created
 * with the first use, in the schema that sessions may share. What was acknowledged survives the server's
 * crash, also where the database is set to commit asynchronously.
 *
 * Whoever follows a run hears of it by `LISTEN`, for which the store holds one connection more while
 * somebody follows; where that does not come through, as behind some poolers, readers look every two
 * seconds.
 *
 * @throws ConfigurationError where the options name no database, or two; the store's methods:
 *   `missing-package` where `pg` is not installed, else see `RunStore`.
 */
export function postgresRuns(options: PostgresStoreOptions): RunStore {
  return new PostgresRuns(postgresDatabase(options, runKind), options.clock ?? systemClock);
}

/** How many runs are removed in one transaction, so that others may write in between. */
const removedAtOnce = 200;

class PostgresRuns implements RunStore {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  readonly #schema: string;
  readonly #bells = new RunBells();
  readonly #watch: PostgresWatch;
  readonly #reads: PostgresRunReads;

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#schema = database.schema;
    this.#watch = new PostgresWatch(database, clock, this.#bells);
    this.#reads = new PostgresRunReads(database);
  }

  async create(run: NewRun, owner: string): Promise<void> {
    checkNewRun(run);
    const { app, id, agent, actor = null, session = null, input } = run;
    await this.#change(run, true, async (statements) => {
      const created = await statements.get(
        `INSERT INTO ${this.#schema}.runs (app, id, agent, actor, session, owner, status, ready,
           input, waiting, decisions, sequence, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'running', false, $7, '[]', '{}', 0, $8, $8)
         ON CONFLICT DO NOTHING RETURNING key`,
        [app, id, agent, actor, session, owner, JSON.stringify(input), this.#clock.now()],
      );
      const known = created ?? (await this.#find(statements, { app, id }));
      if (created === undefined && known?.["owner"] !== owner) {
        throw runExists(id);
      }
    });
  }

  async get(key: RunKey): Promise<RunRecord | undefined> {
    checkRunKey(key);
    const row = await this.#reads.run(key);
    return row && toRunRecord(row);
  }

  async list(filter: RunFilter): Promise<RunPage> {
    const size = checkRunFilter(filter);
    const { app, actor, status, session, ready, changedBefore } = filter;
    const { updatedAt, id } = parseRunCursor(filter.after) ?? {};
    const values: unknown[] = [];
    const conditions = Object.entries({ app, actor, status, session, ready })
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => `${column} = $${values.push(value)}`);
    if (changedBefore !== undefined) {
      conditions.push(`updated_at < $${values.push(changedBefore)}`);
    }
    if (updatedAt !== undefined) {
      conditions.push(`(updated_at, id) < ($${values.push(updatedAt)}, $${values.push(id)})`);
    }
    const rows = await this.#database.transaction(true, (statements) =>
      statements.all(
        `SELECT * FROM ${this.#schema}.runs WHERE ${conditions.join(" AND ")}
         ORDER BY updated_at DESC, id DESC LIMIT $${values.push(size + 1)}`,
        values,
      ),
    );
    return toRunPage(rows.map(toRunRecord), size);
  }

  async steps(key: RunKey): Promise<readonly StepRecord[]> {
    checkRunKey(key);
    const rows = await this.#database.transaction(true, async (statements) =>
      statements.all(
        `SELECT key, tries, value FROM ${this.#schema}.run_steps WHERE run = $1 ORDER BY ordinal`,
        [(await this.#demand(statements, key))["key"]],
      ),
    );
    return rows.map(toStepRecord);
  }

  async events(key: RunKey, range: EventRange = {}): Promise<readonly RunEvent[]> {
    checkRunKey(key);
    checkEventRange(range);
    const { after = 0, limit = null } = range;
    const rows = await this.#reads.events({ key, after, limit });
    if (rows === undefined) {
      throw runNotFound(key.id);
    }
    return rows.map((row) => eventAfter(toJoinedEvent(row), after));
  }

  /** One statement; it may be sent again when nobody knows whether it arrived. */
  async write(key: RunKey, owner: string, changes: RunChanges): Promise<void> {
    checkRunKey(key);
    const { app, id, actor = null } = key;
    const steps = latestSteps(changes.steps ?? []).map(stepValues);
    const events = joinEvents(changes.events ?? []).map(eventValues);
    const column = (rows: readonly (readonly unknown[])[], index: number): readonly unknown[] =>
      rows.map((row) => row[index]);
    await this.#change(key, true, async (statements) => {
      const written = await statements.get(this.#writing, [
        ...[app, id, actor, owner, this.#clock.now()],
        changes.events?.at(-1)?.sequence ?? 0,
        ...changedValues(changes),
        ...[0, 1, 2].map((index) => column(steps, index)),
        ...[0, 1, 2].map((index) => column(events, index)),
      ]);
      if (written === undefined) {
        await this.#demand(statements, key);
        throw runLost(id);
      }
    });
  }

  async decide(key: RunKey, decisions: Readonly<Record<string, Decision>>): Promise<RunRecord> {
    checkRunKey(key);
    return this.#change(key, false, async (statements) => {
      const row = await this.#demand(statements, key, "FOR UPDATE");
      const record = toRunRecord(row);
      checkDecisions(record, decisions);
      const all = JSON.stringify({ ...record.decisions, ...decisions });
      return this.#update(statements, row, "decisions = $3, ready = true", [all]);
    });
  }

  async takeOver(
    key: RunKey,
    owner: string,
    decisions: Readonly<Record<string, Decision>> = {},
  ): Promise<RunRecord> {
    checkRunKey(key);
    return this.#change(key, true, async (statements) => {
      const row = await this.#demand(statements, key, "FOR UPDATE");
      const record = toRunRecord(row);
      if (row["owner"] === owner) {
        return record;
      }
      checkTakeOver(record, decisions);
      const all = { ...record.decisions, ...decisions };
      return this.#update(
        statements,
        row,
        "owner = $3, status = 'running', ready = false, decisions = $4, waiting = $5",
        [owner, JSON.stringify(all), JSON.stringify(undecided(record, all))],
      );
    });
  }

  async *changes(of: RunPlace, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const leave = await this.#watch.enter();
    try {
      yield* this.#bells.listen(of, signal);
    } finally {
      leave();
    }
  }

  async delete(key: RunKey): Promise<boolean> {
    checkRunKey(key);
    const { app, id, actor = null } = key;
    const condition = "app = $2 AND id = $3 AND ($4::text IS NULL OR actor = $4)";
    return (await this.#remove(condition, [app, id, actor])) > 0;
  }

  async deleteAll(owner: RunOwner): Promise<number> {
    checkRunOwner(owner);
    const { app, actor = null, session = null } = owner;
    return this.#remove(
      "app = $2 AND ($3::text IS NULL OR actor = $3) AND ($4::text IS NULL OR session = $4)",
      [app, actor, session],
    );
  }

  async prune(age: RunAge): Promise<number> {
    checkRunAge(age);
    const { app, olderThanMs, status = endStatuses } = age;
    const latest = Math.floor(this.#clock.now() - olderThanMs);
    return this.#remove("app = $2 AND updated_at <= $3 AND status = ANY ($4::text[])", [
      app,
      latest,
      status,
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.stop();
    await this.#database[Symbol.asyncDispose]();
    this.#bells.ringAll();
  }

  get #writing(): string {
    const columns = changedColumns.map(
      (column, index) => `${column} = coalesce($${index + 7}, ${column})`,
    );
    return `
      WITH run AS (
        UPDATE ${this.#schema}.runs SET ${columns.join(", ")},
          sequence = greatest(sequence, $6), updated_at = greatest(updated_at, $5)
        WHERE app = $1 AND id = $2 AND ($3::text IS NULL OR actor = $3) AND owner = $4
        RETURNING key
      ), steps AS (
        INSERT INTO ${this.#schema}.run_steps AS old (run, key, tries, value)
        SELECT run.key, step.key, step.tries, step.value
        FROM run, unnest($13::text[], $14::bigint[], $15::text[]) WITH ORDINALITY
          AS step (key, tries, value, place)
        ORDER BY step.place
        ON CONFLICT (run, key) DO UPDATE SET tries = excluded.tries, value = excluded.value
      ), events AS (
        INSERT INTO ${this.#schema}.run_events (run, sequence, event, pieces)
        SELECT run.key, one.sequence, one.event, one.pieces
        FROM run, unnest($16::bigint[], $17::text[], $18::text[]) AS one (sequence, event, pieces)
        ON CONFLICT (run, sequence) DO NOTHING
      )
      SELECT key FROM run`;
  }

  /** Does what changes a run, and tells everybody when it holds. */
  async #change<Result>(
    { app, id }: Required<RunPlace>,
    repeatable: boolean,
    work: (statements: PostgresStatements) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.#database.transaction(repeatable, async (statements) => {
      const done = await work(statements);
      await this.#tell(statements, app, id);
      return done;
    });
    this.#bells.ring({ app, id });
    return result;
  }

  /** It is heard when the transaction holds. */
  async #tell(statements: PostgresStatements, app: string, id: string): Promise<void> {
    await statements.get("SELECT pg_notify($1, $2)", [
      runChannel,
      runMessage(this.#schema, app, id),
    ]);
  }

  /** Sets columns of a row, with values from `$3` on. */
  async #update(
    statements: PostgresStatements,
    row: PostgresRow,
    columns: string,
    values: readonly unknown[],
  ): Promise<RunRecord> {
    const changed = await statements.get(
      `UPDATE ${this.#schema}.runs SET ${columns}, updated_at = greatest(updated_at, $2)
       WHERE key = $1 RETURNING *`,
      [row["key"], this.#clock.now(), ...values],
    );
    return toRunRecord(changed ?? row); // the row is locked: it is there
  }

  #find(
    statements: PostgresStatements,
    { app, id, actor }: RunKey,
    lock: "FOR UPDATE" | "" = "",
  ): Promise<PostgresRow | undefined> {
    return statements.get(
      `SELECT * FROM ${this.#schema}.runs
       WHERE app = $1 AND id = $2 AND ($3::text IS NULL OR actor = $3) ${lock}`,
      [app, id, actor ?? null],
    );
  }

  async #demand(
    statements: PostgresStatements,
    key: RunKey,
    lock: "FOR UPDATE" | "" = "",
  ): Promise<PostgresRow> {
    const run = await this.#find(statements, key, lock);
    if (run === undefined) {
      throw runNotFound(key.id);
    }
    return run;
  }

  /** Removes runs by a condition with values from `$2` on. @returns how many. */
  async #remove(condition: string, values: readonly unknown[]): Promise<number> {
    let count = 0;
    for (let removed = removedAtOnce; removed === removedAtOnce; count += removed) {
      removed = await this.#database.transaction(false, async (statements) => {
        const rows = await statements.all(
          `DELETE FROM ${this.#schema}.runs WHERE key IN
             (SELECT key FROM ${this.#schema}.runs WHERE ${condition} LIMIT $1)
           RETURNING app, id`,
          [removedAtOnce, ...values],
        );
        for (const { app, id } of rows) {
          await this.#tell(statements, String(app), String(id));
        }
        return rows.length;
      });
      this.#bells.ringAll();
    }
    return count;
  }
}
