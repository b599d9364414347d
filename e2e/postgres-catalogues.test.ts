import { afterAll, beforeAll, beforeEach } from "vitest";
import { postgresCatalogues } from "../src/stores/postgres-catalogues.ts";
import { testCatalogueStore } from "../test/catalogue-store-tests.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(() => server.query("DROP SCHEMA IF EXISTS dragoman CASCADE").then(() => {}));

testCatalogueStore((options) => postgresCatalogues({ ...options, connectionString: server.url() }));
