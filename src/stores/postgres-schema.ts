/**
 * What makes each version of the tables of the one before, in a schema of their own. What has been
 * released is never changed: a new version is added at the end.
 *
 * JSON is kept as text: `jsonb` refuses characters that JSON allows, and gives back other texts.
 */
export const postgresMigrations: readonly ((schema: string) => string)[] = [
  (schema) => `
  CREATE TABLE ${schema}.sessions (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    actor text COLLATE "C",
    title text,
    state text NOT NULL,
    length bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (app, id)
  );
  CREATE INDEX sessions_by_time ON ${schema}.sessions (app, updated_at, id);
  CREATE INDEX sessions_by_actor ON ${schema}.sessions (app, actor, updated_at, id);
  CREATE TABLE ${schema}.messages (
    session bigint NOT NULL REFERENCES ${schema}.sessions (key) ON DELETE CASCADE,
    sequence bigint NOT NULL,
    group_id text COLLATE "C",
    time bigint NOT NULL,
    message text NOT NULL,
    PRIMARY KEY (session, sequence)
  );
  CREATE INDEX messages_by_group ON ${schema}.messages (session, group_id, sequence)
    WHERE group_id IS NOT NULL;
  `,
  (schema) => `
  CREATE TABLE ${schema}.runs (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    actor text COLLATE "C",
    session text COLLATE "C",
    owner text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    ready boolean NOT NULL,
    input text NOT NULL,
    waiting text NOT NULL,
    decisions text NOT NULL,
    text text,
    output text,
    usage text,
    error text,
    sequence bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (app, id)
  );
  CREATE INDEX runs_by_time ON ${schema}.runs (app, updated_at, id);
  CREATE INDEX runs_by_actor ON ${schema}.runs (app, actor, updated_at, id);
  CREATE INDEX runs_by_session ON ${schema}.runs (app, session, updated_at, id);
  CREATE INDEX runs_by_status ON ${schema}.runs (app, status, updated_at, id);
  CREATE TABLE ${schema}.run_steps (
    ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL REFERENCES ${schema}.runs (key) ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    tries bigint,
    value text,
    UNIQUE (run, key)
  );
  CREATE TABLE ${schema}.run_events (
    run bigint NOT NULL REFERENCES ${schema}.runs (key) ON DELETE CASCADE,
    sequence bigint NOT NULL,
    event text NOT NULL,
    pieces text,
    PRIMARY KEY (run, sequence)
  );
  `,
  // No actor is '', which no actor is.
  (schema) => `
  CREATE TABLE ${schema}.artifacts (
    app text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (app, actor, id)
  );
  ALTER TABLE ${schema}.artifacts ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE ${schema}.artifact_records (
    app text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    run text COLLATE "C" NOT NULL,
    session text COLLATE "C",
    tool_call text,
    media_type text NOT NULL,
    name text,
    size bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (app, actor, id, run),
    FOREIGN KEY (app, actor, id) REFERENCES ${schema}.artifacts (app, actor, id) ON DELETE CASCADE
  );
  CREATE INDEX artifact_records_by_time
    ON ${schema}.artifact_records (app, actor, created_at, id, run);
  CREATE INDEX artifact_records_by_run ON ${schema}.artifact_records (app, actor, run);
  CREATE INDEX artifact_records_by_session ON ${schema}.artifact_records (app, actor, session)
    WHERE session IS NOT NULL;
  CREATE INDEX artifact_records_by_age ON ${schema}.artifact_records (app, created_at);
  CREATE TABLE ${schema}.catalogues (
    key text COLLATE "C" PRIMARY KEY,
    revision text NOT NULL,
    time bigint NOT NULL,
    tools text NOT NULL
  );
  CREATE INDEX catalogues_by_time ON ${schema}.catalogues (time);
  `,
];
