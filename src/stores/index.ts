export type { ArtifactStoreLimits } from "./artifact-record.ts";
export { type FileArtifactsOptions, fileArtifacts } from "./file-artifacts.ts";
export { type MemoryArtifactsOptions, memoryArtifacts } from "./memory-artifacts.ts";
export { type MemorySessionsOptions, memorySessions } from "./memory-sessions.ts";
export type { PostgresClient, PostgresPool } from "./postgres-client.ts";
export { type PostgresSessionsOptions, postgresSessions } from "./postgres-sessions.ts";
export { sessionLimits } from "./session-limits.ts";
export { type SqliteSessionsOptions, sqliteSessions } from "./sqlite-sessions.ts";
