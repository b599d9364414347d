import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ArtifactStore } from "../src/agent/artifact-store.ts";
import {
  type PostgresArtifactsOptions,
  postgresArtifacts,
} from "../src/stores/postgres-artifacts.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import { artifact, bytesOf, codeOf, key, testArtifactStore } from "../test/artifact-store-tests.ts";
import { testSharedArtifactStore } from "../test/artifact-writers.ts";
import { owner, run } from "../test/run-fixture.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

let server: PostgresServer;
let url: string;
let opened: AsyncDisposable[] = [];

beforeAll(async () => {
  server = await startPostgres();
  url = server.url();
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  await server.query("DROP SCHEMA IF EXISTS dragoman CASCADE");
  return async () => {
    await Promise.all(opened.map((store) => store[Symbol.asyncDispose]()));
    opened = [];
  };
});

function open(options: Partial<PostgresArtifactsOptions> = {}): ArtifactStore {
  const store = postgresArtifacts({ connectionString: url, ...options });
  opened.push(store);
  return store;
}

describe("what every store promises", () => {
  testArtifactStore((options) => postgresArtifacts({ connectionString: url, ...options }));
});

describe("across processes", () => {
  testSharedArtifactStore(() => ["postgres", url]);
});

test("kill -9 of the whole server loses nothing that was acknowledged, and puts go on after it", async () => {
  const store = open({ retryMs: 60_000 });
  const put = (index: number) =>
    store.put({ ...artifact, runId: `r${index}`, bytes: bytesOf(`n${index}`.repeat(10_000)) });
  await put(0);
  const putting = Promise.all(Array.from({ length: 60 }, (_one, index) => put(index)));
  await put(100);
  await server.kill();
  await server.start();
  const kept = await putting;
  for (const { id, size } of kept) {
    expect((await store.get({ ...key, id }))?.bytes).toHaveLength(size);
  }
});

test("bytes that many put and let go from two stores at once are whole or gone", async () => {
  const stores = [open(), open()] as const;
  const { session: _, ...alone } = artifact;
  const holder = { app: "app", actor: "ann" } as const;
  const work = Array.from({ length: 200 }, async (_one, index) => {
    const store = stores[index % 2 === 0 ? 0 : 1];
    await store.put({ ...alone, runId: `r${index}` });
    expect((await store.get(key))?.bytes).toEqual(bytesOf("hello"));
    return store.release(holder, { kind: "run", id: `r${index}` });
  });
  await Promise.all(work);
  expect(await stores[0].list(holder)).toEqual({ artifacts: [] });
  expect(await server.query("SELECT * FROM dragoman.artifacts")).toEqual([]);
});

test("bytes that are there are not sent again", async () => {
  const store = open();
  const bytes = new Uint8Array(2_000_000);
  await store.put({ ...artifact, bytes });
  const sizeOf = async () =>
    Number((await server.query("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS n"))[0]?.["n"]);
  const before = await sizeOf();
  await store.put({ ...artifact, runId: "other", bytes });
  expect((await sizeOf()) - before).toBeLessThan(200_000);
});

test("bytes that were altered are store-corrupt, and a table that is gone, too", async () => {
  const store = open();
  await store.put(artifact);
  await server.query("UPDATE dragoman.artifacts SET bytes = 'other'");
  expect(await codeOf(store.get(key))).toBe("store-corrupt");
  await server.query("DROP TABLE dragoman.artifacts CASCADE");
  expect(await codeOf(store.put(artifact))).toBe("store-corrupt");
});

test("the tables of an older version get those of artifacts, and a newer version is refused", async () => {
  const runs = postgresRuns({ connectionString: url });
  opened.push(runs);
  await runs.create(run, owner);
  await server.query(
    `DROP TABLE dragoman.artifact_records, dragoman.artifacts, dragoman.catalogues;
     UPDATE dragoman.store_version SET version = 2`,
  );
  await open().put(artifact);
  expect(await runs.get(run)).toMatchObject({ id: run.id });
  await server.query("UPDATE dragoman.store_version SET version = 99");
  expect(await codeOf(open().put(artifact))).toBe("store-too-new");
});

test("a server that is not there is store-unavailable, and the message has no password", async () => {
  const connectionString = "postgres://ann:hunter2@127.0.0.1:1/desk";
  const failure = await open({ connectionString, retryMs: 0 })
    .put(artifact)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "store-unavailable" });
  expect(String(failure)).not.toContain("hunter2");
});
