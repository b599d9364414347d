import { join } from "node:path";
import type { ArtifactStore } from "../agent/artifact-store.ts";
import type { RunStore } from "../agent/run-store.ts";
import { dataFolder } from "./data-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Names the store where `--store` does not: a Postgres URL with its password is better not an argument. */
const storeVariable = "DRAGOMAN_STORE";

/** Where runs are kept, if anybody has said so: by `--store`, else by the environment. */
export const chosenStore = (store: string | undefined, env: Environment): string | undefined =>
  store ?? (env[storeVariable] || undefined);

/** Whether a store is on Postgres, rather than a file. */
export const isPostgresUrl = (store: string): boolean => /^postgres(ql)?:/i.test(store);

/**
 * The store of runs that was named: a `postgres:` URL, or the path of a SQLite file. Nothing is opened or
 * made before it is used.
 *
 * @param place default: `runs.db` in {@link dataFolder}.
 */
export async function openRunStore(place: string | undefined, env: Environment): Promise<RunStore> {
  const store = chosenStore(place, env);
  if (store !== undefined && isPostgresUrl(store)) {
    const { postgresRuns } = await import("../stores/postgres-runs.ts");
    return postgresRuns({ connectionString: store, retryMs: 2_000 });
  }
  const { sqliteRuns } = await import("../stores/sqlite-runs.ts");
  return sqliteRuns({ file: store ?? join(dataFolder(env), "runs.db") });
}

/** The store of artifacts in the same place: what is large of runs may be there. */
export async function openArtifactStore(
  place: string | undefined,
  env: Environment,
): Promise<ArtifactStore & AsyncDisposable> {
  const store = chosenStore(place, env);
  if (store !== undefined && isPostgresUrl(store)) {
    const { postgresArtifacts } = await import("../stores/postgres-artifacts.ts");
    return postgresArtifacts({ connectionString: store, retryMs: 2_000 });
  }
  const { sqliteArtifacts } = await import("../stores/sqlite-artifacts.ts");
  return sqliteArtifacts({ file: store ?? join(dataFolder(env), "runs.db") });
}
