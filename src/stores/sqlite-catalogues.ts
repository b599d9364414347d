import { systemClock } from "../base/clock.ts";
import type { Catalogue, CatalogueStore } from "../tool/catalogue.ts";
import {
  type CatalogueAge,
  catalogueAge,
  catalogueKind,
  keyColumn,
  toCatalogue,
} from "./catalogue-row.ts";
import { type SqliteStoreOptions, sqliteDatabase } from "./sqlite-options.ts";

/** Options of {@link sqliteCatalogues}. */
export interface SqliteCataloguesOptions extends SqliteStoreOptions, CatalogueAge {}

/**
 * What is known of servers' tools, in one file that outlives the process and may hold sessions, runs and
 * artifacts, too. Opened with the first use; dispose of it to close.
 *
 * @throws ConfigurationError where `file` names none.
 */
export function sqliteCatalogues(
  options: SqliteCataloguesOptions,
): CatalogueStore & Required<Pick<CatalogueStore, "delete">> & AsyncDisposable {
  const { clock = systemClock } = options;
  const maxAgeMs = catalogueAge(options);
  const database = sqliteDatabase(options, catalogueKind);
  return {
    async get(key): Promise<Catalogue | undefined> {
      const row = await database.transaction("read", (statements) =>
        statements.get("SELECT revision, time, tools FROM catalogues WHERE key = ? AND time > ?", [
          keyColumn(key),
          clock.now() - maxAgeMs,
        ]),
      );
      return row && toCatalogue(row);
    },
    async set(key, { revision, time, tools }) {
      await database.transaction("write", (statements) => {
        statements.get("DELETE FROM catalogues WHERE time <= ?", [clock.now() - maxAgeMs]);
        statements.get(
          `INSERT INTO catalogues (key, revision, time, tools) VALUES (?, ?, ?, ?)
           ON CONFLICT (key) DO UPDATE SET
             revision = excluded.revision, time = excluded.time, tools = excluded.tools`,
          [keyColumn(key), revision, time, JSON.stringify(tools)],
        );
      });
    },
    async delete(key) {
      await database.transaction("write", (statements) =>
        statements.get("DELETE FROM catalogues WHERE key = ?", [keyColumn(key)]),
      );
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
