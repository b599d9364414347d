import { inspect } from "node:util";
import { expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { PostgresStoreOptions } from "./postgres-options.ts";
import { postgresSessions } from "./postgres-sessions.ts";

// What needs a server is in e2e/postgres-sessions.test.ts.
const key = { app: "desk", id: "s" } as const;
const connectionString = "postgres://ann:hunter2@127.0.0.1:1/desk";
const pool = { connect: () => Promise.reject(new Error("never used")) };

/** Options that make no store. */
const mistakes: Readonly<Record<string, PostgresStoreOptions>> = {
  "no database": {},
  "two databases": { connectionString, pool },
  "a schema that is no plain name": { connectionString, schema: 'x"; DROP TABLE y; --' },
  "no connections": { connectionString, maxConnections: 0 },
  "a time of nothing": { connectionString, lockTimeoutMs: 0 },
  "a time that is no number": { connectionString, statementTimeoutMs: Number.NaN },
};

test.each(Object.entries(mistakes))("%s is a ConfigurationError", (_, options) => {
  expect(() => postgresSessions(options)).toThrow(ConfigurationError);
});

test("a server that is not there is store-unavailable", async () => {
  await using store = postgresSessions({ connectionString, retryMs: 0 });
  expect(await failureOf(store.get(key))).toMatchObject({
    code: "store-unavailable",
    message: expect.stringMatching(/ECONNREFUSED.*Nothing was changed/),
  });
});

test.each(["postgres://ann:hunter2@127.0.0.1:port/desk", "postgres://ann:hunter2@[::1/desk"])(
  "neither the store nor an error shows the password, be the connection string right or wrong",
  async (wrong) => {
    for (const text of [connectionString, wrong]) {
      await using store = postgresSessions({ connectionString: text, retryMs: 0 });
      const failure = await failureOf(store.get(key));
      const shown = inspect([store, failure], { depth: 9, showHidden: true });
      expect(shown + String(failure) + JSON.stringify(failure)).not.toContain("hunter2");
      expect(failure).toMatchObject(
        text === wrong ? { code: "invalid-configuration" } : { code: "store-unavailable" },
      );
    }
  },
);
