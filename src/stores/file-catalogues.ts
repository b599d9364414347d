import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { isJsonObject, parseJson } from "../base/json.ts";
import type { CatalogueStore } from "../tool/catalogue.ts";
import { type CatalogueAge, catalogueAge, keyColumn, toCatalogue } from "./catalogue-row.ts";
import { ifThere, readIfThere, removeIfThere, replaceFile } from "./private-files.ts";

/** Options of {@link fileCatalogues}. */
export interface FileCataloguesOptions extends CatalogueAge {
  /** Where the files are. It is made where it does not exist, for this user alone. */
  readonly folder: string;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * What is known of servers' tools, as files, which any number of processes of a machine may share. The
 * names of files are digests; one is there whole or not at all.
 *
 * @throws ConfigurationError where `maxAgeMs` is no age.
 */
export function fileCatalogues(
  options: FileCataloguesOptions,
): CatalogueStore & Required<Pick<CatalogueStore, "delete">> {
  const { folder, clock = systemClock } = options;
  const maxAgeMs = catalogueAge(options);
  const fileOf = (key: string): string => join(folder, `${keyColumn(key)}.json`);
  return {
    async get(key) {
      const row = parseJson((await readIfThere(fileOf(key)))?.toString("utf8") ?? "");
      const found = isJsonObject(row) ? toCatalogue(row) : undefined;
      return found !== undefined && found.time > clock.now() - maxAgeMs ? found : undefined;
    },
    async set(key, { revision, time, tools }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const row = { revision, time, tools: JSON.stringify(tools) };
      await replaceFile(fileOf(key), JSON.stringify(row));
      await removeOld(folder, clock.now() - maxAgeMs);
    },
    async delete(key) {
      await removeIfThere(fileOf(key));
    },
  };
}

/** Catalogues that are believed no more, and what writes that broke off have left. */
async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of (await ifThere(readdir(folder))) ?? []) {
    const path = join(folder, name);
    const modified = (await ifThere(stat(path)))?.mtimeMs ?? before;
    if (/^[0-9a-f]{64}\.json/.test(name) && modified < before) {
      await removeIfThere(path);
    }
  }
}
