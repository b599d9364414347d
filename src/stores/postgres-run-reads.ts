import type { RunKey } from "../agent/run-store.ts";
import { GatheredReads } from "./gathered-reads.ts";
import type { PostgresDatabase, PostgresRow } from "./postgres-database.ts";

/** Which events of which run. */
export interface EventsRequest {
  readonly key: RunKey;
  readonly after: number;
  readonly limit: number | null;
}

/** How many reads are made together: of events less, since each may be five hundred. */
const most = { runs: 500, events: 50 } as const;

/**
 * What those who follow runs read again and again. When a run changes, all who follow it ask at once, and
 * a few connections serve everybody: so they ask together.
 */
export class PostgresRunReads {
  readonly #database: PostgresDatabase;
  readonly #runs: GatheredReads<RunKey, PostgresRow | undefined>;
  readonly #events: GatheredReads<EventsRequest, readonly PostgresRow[] | undefined>;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#runs = new GatheredReads((keys) => this.#readRuns(keys), most.runs);
    this.#events = new GatheredReads((requests) => this.#readEvents(requests), most.events);
  }

  /** The row of a run; `undefined` where the key reaches none. */
  run(key: RunKey): Promise<PostgresRow | undefined> {
    return this.#runs.read(key);
  }

  /** Rows of its events; `undefined` where the key reaches no run. */
  events(request: EventsRequest): Promise<readonly PostgresRow[] | undefined> {
    return this.#events.read(request);
  }

  async #readRuns(keys: readonly RunKey[]): Promise<readonly (PostgresRow | undefined)[]> {
    const places = distinct(keys, placeOf);
    const rows = await this.#database.transaction(true, (statements) =>
      statements.all(
        `SELECT * FROM ${this.#database.schema}.runs
         WHERE (app, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
        [places.map(({ app }) => app), places.map(({ id }) => id)],
      ),
    );
    const byPlace = new Map(rows.map((row) => [JSON.stringify([row["app"], row["id"]]), row]));
    return keys.map((key) => {
      const row = byPlace.get(placeOf(key));
      return key.actor === undefined || row?.["actor"] === key.actor ? row : undefined;
    });
  }

  /** Those who want the same get the same rows. */
  async #readEvents(
    requests: readonly EventsRequest[],
  ): Promise<readonly (readonly PostgresRow[] | undefined)[]> {
    const wanted = distinct(requests, requestOf);
    const { schema } = this.#database;
    const rows = await this.#database.transaction(true, (statements) =>
      statements.all(
        `SELECT wanted.place, found.sequence, found.event, found.pieces
         FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
           WITH ORDINALITY AS wanted (app, id, actor, after, most, place)
         JOIN ${schema}.runs AS run ON run.app = wanted.app AND run.id = wanted.id
           AND (wanted.actor IS NULL OR run.actor = wanted.actor)
         LEFT JOIN LATERAL (
           SELECT sequence, event, pieces FROM ${schema}.run_events
           WHERE run_events.run = run.key AND sequence > wanted.after ORDER BY sequence LIMIT wanted.most
         ) AS found ON true
         ORDER BY wanted.place, found.sequence`,
        [
          wanted.map(({ key }) => key.app),
          wanted.map(({ key }) => key.id),
          wanted.map(({ key }) => key.actor ?? null),
          wanted.map(({ after }) => after),
          wanted.map(({ limit }) => limit),
        ],
      ),
    );
    const found = new Map<number, PostgresRow[]>();
    for (const row of rows) {
      const place = Number(row["place"]);
      const events = found.get(place) ?? [];
      found.set(place, events);
      if (row["sequence"] !== null) {
        events.push(row); // a run without such events has one row, without an event
      }
    }
    const places = new Map(wanted.map((one, index) => [requestOf(one), index + 1]));
    return requests.map((one) => found.get(places.get(requestOf(one)) ?? 0));
  }
}

const placeOf = ({ app, id }: RunKey): string => JSON.stringify([app, id]);

const requestOf = ({ key, after, limit }: EventsRequest): string =>
  JSON.stringify([key.app, key.id, key.actor ?? null, after, limit]);

const distinct = <Value>(
  values: readonly Value[],
  nameOf: (value: Value) => string,
): readonly Value[] => [...new Map(values.map((value) => [nameOf(value), value])).values()];
