import { systemClock } from "../base/clock.ts";
import type { Catalogue, CatalogueStore } from "../tool/catalogue.ts";
import {
  type CatalogueAge,
  catalogueAge,
  catalogueKind,
  keyColumn,
  toCatalogue,
} from "./catalogue-row.ts";
import { type PostgresStoreOptions, postgresDatabase } from "./postgres-options.ts";

/** Options of {@link postgresCatalogues}. */
export interface PostgresCataloguesOptions extends PostgresStoreOptions, CatalogueAge {}

/**
 * What is known of servers' tools, in Postgres 15 or newer, for all processes of an application; needs
 * the package `pg`. In the schema that sessions, runs and artifacts may share.
 *
 * @throws ConfigurationError where the options name no database, or two.
 */
export function postgresCatalogues(
  options: PostgresCataloguesOptions,
): CatalogueStore & Required<Pick<CatalogueStore, "delete">> & AsyncDisposable {
  const { clock = systemClock } = options;
  const maxAgeMs = catalogueAge(options);
  const database = postgresDatabase(options, catalogueKind);
  const table = `${database.schema}.catalogues`;
  return {
    async get(key): Promise<Catalogue | undefined> {
      const row = await database.transaction(true, (statements) =>
        statements.get(`SELECT revision, time, tools FROM ${table} WHERE key = $1 AND time > $2`, [
          keyColumn(key),
          Math.floor(clock.now() - maxAgeMs),
        ]),
      );
      return row && toCatalogue(row);
    },
    async set(key, { revision, time, tools }) {
      await database.transaction(true, async (statements) => {
        // Whatever somebody else holds just now is left to them.
        await statements.get(
          `DELETE FROM ${table} WHERE key IN (
             SELECT key FROM ${table} WHERE time <= $1 FOR UPDATE SKIP LOCKED)`,
          [Math.floor(clock.now() - maxAgeMs)],
        );
        await statements.get(
          `INSERT INTO ${table} (key, revision, time, tools) VALUES ($1, $2, $3, $4)
           ON CONFLICT (key) DO UPDATE SET
             revision = excluded.revision, time = excluded.time, tools = excluded.tools`,
          [keyColumn(key), revision, Math.floor(time), JSON.stringify(tools)],
        );
      });
    },
    async delete(key) {
      await database.transaction(true, (statements) =>
        statements.get(`DELETE FROM ${table} WHERE key = $1`, [keyColumn(key)]),
      );
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
