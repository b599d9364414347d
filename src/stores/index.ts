export { type MemorySessionsOptions, memorySessions } from "./memory-sessions.ts";
export type { PostgresClient, PostgresPool } from "./postgres-client.ts";
export type { PostgresStoreOptions } from "./postgres-options.ts";
export { postgresSessions } from "./postgres-sessions.ts";
export { sessionLimits } from "./session-limits.ts";
export type { SqliteStoreOptions } from "./sqlite-options.ts";
export { sqliteSessions } from "./sqlite-sessions.ts";
