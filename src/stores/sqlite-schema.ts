/** Marks a file as ours: "drgm" in its header. */
export const applicationId = 0x6472_676d;

/**
 * What makes each version of the tables of the one before; `user_version` counts those that were done.
 * What has been released is never changed: a new version is added at the end.
 */
export const sqliteMigrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    actor TEXT,
    title TEXT,
    state TEXT NOT NULL,
    length INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (app, id)
  ) STRICT;
  CREATE INDEX sessions_by_time ON sessions (app, updated_at, id);
  CREATE INDEX sessions_by_actor ON sessions (app, actor, updated_at, id);
  CREATE TABLE messages (
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    group_id TEXT,
    time INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (session, sequence)
  ) STRICT;
  CREATE INDEX messages_by_group ON messages (session, group_id, sequence)
    WHERE group_id IS NOT NULL;
  `,
  `
  CREATE TABLE runs (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    actor TEXT,
    session TEXT,
    owner TEXT NOT NULL,
    status TEXT NOT NULL,
    ready INTEGER NOT NULL,
    input TEXT NOT NULL,
    waiting TEXT NOT NULL,
    decisions TEXT NOT NULL,
    text TEXT,
    output TEXT,
    usage TEXT,
    error TEXT,
    sequence INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (app, id)
  ) STRICT;
  CREATE INDEX runs_by_time ON runs (app, updated_at, id);
  CREATE INDEX runs_by_actor ON runs (app, actor, updated_at, id);
  CREATE INDEX runs_by_session ON runs (app, session, updated_at, id);
  CREATE INDEX runs_by_status ON runs (app, status, updated_at, id);
  CREATE TABLE run_steps (
    ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    key TEXT NOT NULL,
    tries INTEGER,
    value TEXT,
    UNIQUE (run, key)
  ) STRICT;
  CREATE TABLE run_events (
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    event TEXT NOT NULL,
    pieces TEXT,
    PRIMARY KEY (run, sequence)
  ) STRICT;
  `,
  // No actor is '', which no actor is.
  `
  CREATE TABLE artifacts (
    app TEXT NOT NULL,
    actor TEXT NOT NULL,
    id TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (app, actor, id)
  ) STRICT;
  CREATE TABLE artifact_records (
    app TEXT NOT NULL,
    actor TEXT NOT NULL,
    id TEXT NOT NULL,
    run TEXT NOT NULL,
    session TEXT,
    tool_call TEXT,
    media_type TEXT NOT NULL,
    name TEXT,
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (app, actor, id, run),
    FOREIGN KEY (app, actor, id) REFERENCES artifacts (app, actor, id) ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX artifact_records_by_time ON artifact_records (app, actor, created_at, id, run);
  CREATE INDEX artifact_records_by_run ON artifact_records (app, actor, run);
  CREATE INDEX artifact_records_by_session ON artifact_records (app, actor, session)
    WHERE session IS NOT NULL;
  CREATE INDEX artifact_records_by_age ON artifact_records (app, created_at);
  CREATE TABLE catalogues (
    key TEXT PRIMARY KEY,
    revision TEXT NOT NULL,
    time INTEGER NOT NULL,
    tools TEXT NOT NULL
  ) STRICT;
  CREATE INDEX catalogues_by_time ON catalogues (time);
  `,
];
