import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { postgresArtifacts } from "../src/stores/postgres-artifacts.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import { postgresSessions } from "../src/stores/postgres-sessions.ts";
import { sqliteArtifacts } from "../src/stores/sqlite-artifacts.ts";
import { sqliteCatalogues } from "../src/stores/sqlite-catalogues.ts";
import { sqliteRuns } from "../src/stores/sqlite-runs.ts";
import { applicationId, sqliteMigrations } from "../src/stores/sqlite-schema.ts";
import { sqliteSessions } from "../src/stores/sqlite-sessions.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { agentOf, modelOf } from "../test/agent-fixture.ts";
import { artifactWriter } from "../test/artifact-writer.ts";
import { failureOf } from "../test/failure-of.ts";
import { startPostgres } from "./postgres-server.ts";

let folder: string;
let mounted: string | undefined;
let opened: AsyncDisposable[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-hostile-"));
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store[Symbol.asyncDispose]()));
  opened = [];
  if (mounted !== undefined) {
    execFileSync("umount", [mounted]);
    mounted = undefined;
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A disk of its own of so many bytes; `undefined` where this user may not have one. */
function tinyDisk(bytes: number): string | undefined {
  const place = mkdtempSync(join(folder, "disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", place], {
      stdio: "ignore",
    });
    mounted = place;
    return place;
  } catch {
    return undefined;
  }
}

/** All four stores in one file. */
function storesIn(file: string) {
  const stores = {
    runs: sqliteRuns({ file }),
    sessions: sqliteSessions({ file }),
    artifacts: sqliteArtifacts({ file }),
    catalogues: sqliteCatalogues({ file }),
  };
  opened.push(...Object.values(stores));
  return stores;
}

/** A use of each store that writes. */
const uses: Readonly<Record<string, (stores: ReturnType<typeof storesIn>) => Promise<unknown>>> = {
  runs: ({ runs }) => runs.create({ app: "a", id: "r", agent: "b", input: "c" }, "o"),
  sessions: ({ sessions }) => sessions.create({ app: "a", id: "s" }),
  artifacts: ({ artifacts }) =>
    artifacts.put({ app: "a", runId: "r", mediaType: "text/plain", bytes: new Uint8Array(9) }),
  catalogues: ({ catalogues }) =>
    catalogues.set("k", { revision: "", time: Date.now(), tools: [] }),
};

/** An agent whose tool gives so many characters. */
function agentWith(stores: ReturnType<typeof storesIn>, length: number) {
  const much = defineTool({
    name: "much",
    description: "Much.",
    idempotent: true,
    execute: () => "x".repeat(length),
  });
  const model = modelOf({ calls: [{ id: "m", name: "much" }] }, "done");
  const { runs, sessions, artifacts, catalogues } = stores;
  return agentOf(
    { model, tools: [much] },
    { runs, sessions, catalogues, artifacts: { store: artifacts } },
  );
}

test("a run on a full disk fails as store-full, what was kept is there, and with more room it goes on", async ({
  skip,
}) => {
  const disk = tinyDisk(2_000_000) ?? skip("This user may not mount a disk.");
  const stores = storesIn(join(disk, "a.db"));
  const ballast = join(disk, "ballast");
  writeFileSync(ballast, Buffer.alloc(900_000));
  const agent = agentWith(stores, 1_200_000);
  const failed = await agent.ask("Go", { actor: "ann", session: { id: "s" } });
  expect(failed).toMatchObject({ status: "failed", error: { code: "store-full" } });
  const key = { app: "default", id: failed.runId };
  expect(await stores.runs.get(key)).toMatchObject({ status: "running", actor: "ann" });
  expect(await stores.artifacts.list({ app: "default", actor: "ann" })).toEqual({ artifacts: [] });
  rmSync(ballast);
  execFileSync("mount", ["-o", "remount,size=20000000", disk]);
  const again = await agent.resume(failed.runId, { actor: "ann", session: { id: "s" } });
  expect(again).toMatchObject({ status: "completed", text: "done" });
});

test("a database that can only be read is told as that, and can be read", async ({ skip }) => {
  const disk = tinyDisk(5_000_000) ?? skip("This user may not mount a disk.");
  const file = join(disk, "a.db");
  const first = storesIn(file);
  for (const use of Object.values(uses)) {
    await use(first);
  }
  await Promise.all(Object.values(first).map((store) => store[Symbol.asyncDispose]()));
  opened = [];
  execFileSync("mount", ["-o", "remount,ro", disk]);
  const stores = storesIn(file);
  for (const use of Object.values(uses)) {
    const failure = await failureOf(use(stores));
    expect(failure).toMatchObject({ code: "store-unavailable" });
    expect(String(failure)).toContain(file);
  }
  const result = await agentWith(stores, 10).ask("Go");
  expect(result).toMatchObject({ status: "failed", error: { code: "store-unavailable" } });
});

test.each(Object.entries(uses))(
  "a damaged file, one of another program and one of a newer version are told by the store of %s",
  async (name, use) => {
    const file = join(folder, `${name}.db`);
    const first = storesIn(file);
    await use(first);
    await Promise.all(Object.values(first).map((store) => store[Symbol.asyncDispose]()));
    opened = [];
    const sound = readFileSync(file);
    writeFileSync(file, Buffer.from(sound).fill(0x55, 100));
    expect(await failureOf(use(storesIn(file)))).toMatchObject({ code: "store-corrupt" });
    writeFileSync(file, sound);
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    expect(await failureOf(use(storesIn(file)))).toMatchObject({
      code: "store-too-new",
      message: expect.stringContaining("Update Dragoman"),
    });
    database.exec("PRAGMA user_version = 3; PRAGMA application_id = 1");
    database.close();
    expect(await failureOf(use(storesIn(file)))).toMatchObject({ code: "store-corrupt" });
  },
);

test.each([0, 1, 2])(
  "a file of version %s of the tables is brought up to date, with what it holds",
  async (version) => {
    const file = join(folder, `version-${version}.db`);
    const database = new DatabaseSync(file);
    for (const migration of sqliteMigrations.slice(0, version)) {
      database.exec(migration);
    }
    if (version > 0) {
      database.exec(
        `INSERT INTO sessions (app, id, state, length, created_at, updated_at)
       VALUES ('a', 'old', '{}', 0, 1, 1);
       PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`,
      );
    }
    database.close();
    const stores = storesIn(file);
    for (const use of Object.values(uses)) {
      await use(stores);
    }
    const { sessions } = await stores.sessions.list({ app: "a" });
    expect(sessions.map(({ id }) => id).toSorted()).toEqual(version > 0 ? ["old", "s"] : ["s"]);
  },
);

test("two processes and this one write artifacts and runs to one file at once, and nothing is lost", async () => {
  mkdirSync(join(folder, "shared"));
  const file = join(folder, "shared", "a.db");
  const stores = storesIn(file);
  const children = [1, 2].map(() =>
    spawn(process.execPath, [artifactWriter, "sqlite", file], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  const kept = new Set<string>();
  for (const child of children) {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      for (const id of text.split("\n").filter((line) => line.length === 71)) {
        kept.add(id);
      }
    });
  }
  const ids = Array.from({ length: 40 }, (_one, index) => `r${index}`);
  for (const id of ids) {
    await stores.runs.create({ app: "a", id, agent: "b", input: "c" }, "o");
    await stores.runs.write({ app: "a", id }, "o", { status: "completed" });
  }
  await expect.poll(() => kept.size, { timeout: 20_000 }).toBeGreaterThan(10);
  const closed = children.map((child) => once(child, "close"));
  for (const child of children) {
    child.kill("SIGKILL");
  }
  await Promise.all(closed);
  const { artifacts } = await stores.artifacts.list({ app: "app", limit: 1_000 });
  expect(artifacts.map(({ id }) => id)).toEqual(expect.arrayContaining([...kept]));
  expect((await stores.runs.list({ app: "a", status: "completed" })).runs).toHaveLength(40);
});

test("a run goes on where Postgres is killed in its midst and comes back", async () => {
  const server = await startPostgres();
  try {
    const options = { connectionString: server.url(), retryMs: 60_000 };
    const runs = postgresRuns(options);
    const sessions = postgresSessions(options);
    const artifacts = postgresArtifacts(options);
    opened.push(runs, sessions, artifacts);
    const outage = defineTool({
      name: "outage",
      description: "Ends the server.",
      async execute() {
        await server.kill();
        setImmediate(() => void server.start());
        return "x".repeat(400_000);
      },
    });
    const model = modelOf({ calls: [{ id: "o", name: "outage" }] }, "done");
    const config = { runs, sessions, artifacts: { store: artifacts } };
    const agent = agentOf({ model, tools: [outage] }, config);
    const result = await agent.ask("Go", { actor: "ann", session: { id: "s" } });
    expect(result).toMatchObject({ status: "completed", text: "done" });
    const key = { app: "default", id: result.runId };
    expect(await runs.get(key)).toMatchObject({ status: "completed" });
    const events = await runs.events(key);
    expect(events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["run-start", "tool-end", "session-save", "run-end"]),
    );
    expect(await sessions.get({ ...key, id: "s" })).toMatchObject({ length: 4 });
    // Steps and events name what the tool gave, and it is there.
    const text = JSON.stringify(await runs.steps(key));
    expect(text).toContain("dragoman:text");
    expect(
      (await artifacts.list({ app: "default", actor: "ann" })).artifacts.length,
    ).toBeGreaterThan(0);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});
