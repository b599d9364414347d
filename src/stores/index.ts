export type { MemoryRunStoreOptions } from "../agent/memory-run-store.ts";
export { memoryCatalogues } from "../tool/catalogue.ts";
export type { ArtifactStoreLimits } from "./artifact-record.ts";
export type { CatalogueAge } from "./catalogue-row.ts";
export {
  type ErasableStores,
  type Erased,
  eraseActor,
  eraseRun,
  eraseSession,
  pruneRuns,
  type RunStores,
} from "./erase.ts";
export { type FileArtifactsOptions, fileArtifacts } from "./file-artifacts.ts";
export { type FileCataloguesOptions, fileCatalogues } from "./file-catalogues.ts";
export { type MemoryArtifactsOptions, memoryArtifacts } from "./memory-artifacts.ts";
export { memoryRuns } from "./memory-runs.ts";
export { type MemorySessionsOptions, memorySessions } from "./memory-sessions.ts";
export { type PostgresArtifactsOptions, postgresArtifacts } from "./postgres-artifacts.ts";
export { type PostgresCataloguesOptions, postgresCatalogues } from "./postgres-catalogues.ts";
export type { PostgresClient, PostgresPool } from "./postgres-client.ts";
export type { PostgresStoreOptions } from "./postgres-options.ts";
export { postgresRuns } from "./postgres-runs.ts";
export { postgresSessions } from "./postgres-sessions.ts";
export { sessionLimits } from "./session-limits.ts";
export { type SqliteArtifactsOptions, sqliteArtifacts } from "./sqlite-artifacts.ts";
export { type SqliteCataloguesOptions, sqliteCatalogues } from "./sqlite-catalogues.ts";
export type { SqliteStoreOptions } from "./sqlite-options.ts";
export { sqliteRuns } from "./sqlite-runs.ts";
export { sqliteSessions } from "./sqlite-sessions.ts";
