import { copyFile, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "./run-program.ts";

const root = join(import.meta.dirname, "..");

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
}

let manifest: Manifest;

/** Where the packed package is installed, in a folder that has nothing else. */
let application: string;

beforeAll(async () => {
  manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Manifest; // our own
  application = await realpath(await mkdtemp(join(tmpdir(), "dragoman-packed-")));
  await runProgram(root, "npm", "pack", "--pack-destination", application);
  await writeFile(join(application, "package.json"), `{ "private": true, "type": "module" }\n`);
  await copyFile(
    join(import.meta.dirname, "record-imports.mjs"),
    join(application, "record-imports.mjs"),
  );
  const tarball = `./dragoman-${manifest.version}.tgz`;
  await inApplication("npm", "install", tarball, "--prefer-offline", "--no-audit", "--no-fund");
});

afterAll(() => rm(application, { recursive: true, force: true }));

const inApplication = (program: string, ...args: readonly string[]): Promise<string> =>
  runProgram(application, program, ...args);

/** Addresses of all modules that an import resolves; files of the package as paths inside it. */
async function modulesOf(specifier: string): Promise<readonly string[]> {
  const printed = await inApplication("node", "record-imports.mjs", specifier);
  const home = pathToFileURL(join(application, "node_modules/dragoman/")).href;
  return (JSON.parse(printed) as string[]).map((url) => url.replace(home, "")); // as the script prints
}

test("import dragoman, installed, loads the kernel's files and no others", async () => {
  const modules = await modulesOf("dragoman");
  const kernel = /^dist\/(?:index|chunks\/(?:kernel|agent|dragoman))\.js$/;
  expect(modules).toContain("dist/index.js");
  expect(modules.filter((module) => !kernel.test(module))).toEqual([]);
});

test("every subpath that the package exports can be imported", async () => {
  // That one needs the API of OpenTelemetry, which whoever traces has installed.
  const subpaths = Object.keys(manifest.exports).filter((path) => !/json$|otel$/.test(path));
  expect(subpaths).toEqual(
    expect.arrayContaining([".", "./testing", "./http", "./mcp", "./models", "./stores"]),
  );
  for (const subpath of subpaths) {
    expect(await modulesOf(`dragoman${subpath.slice(1)}`)).not.toHaveLength(0);
  }
});

test("sessions on SQLite need no other package, and those on Postgres name theirs", async () => {
  const program = `import { postgresSessions, sqliteSessions } from "dragoman/stores";
const key = { app: "desk", id: "s" };
const sqlite = sqliteSessions({ file: "sessions.db" });
console.log((await sqlite.create(key)).id, await sqlite.append(key, [{ role: "system", text: "x" }]));
await sqlite[Symbol.asyncDispose]();
const postgres = postgresSessions({ connectionString: "postgres://127.0.0.1:1/desk" });
await postgres.get(key).catch(({ code, message }) => console.log(code, message));
`;
  await writeFile(join(application, "sessions.mjs"), program);
  expect((await inApplication("node", "sessions.mjs")).split("\n")).toEqual([
    "s 1",
    expect.stringMatching(/^missing-package .*npm i pg$/),
  ]);
});

test("P1: the package brings the web UI, built and small, and the server finds it", async () => {
  const program = `import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { defineAgent } from "dragoman";
import { createServer } from "dragoman/server";
const server = createServer({ agents: [defineAgent({ name: "clock" })], log: "none" });
const { url } = await server.listen();
const page = await (await fetch(url)).text();
const files = [...page.matchAll(/(?:src|href)="\\.\\/(assets\\/[^"]+)"/g)].map(([, file]) => file);
const statuses = await Promise.all(files.map(async (file) => (await fetch(url + "/ui/" + file)).status));
await server.close();
const home = "node_modules/dragoman/dist/web/";
const sizes = readdirSync(home, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => gzipSync(readFileSync(entry.parentPath + "/" + entry.name)).length);
console.log(JSON.stringify({ statuses, size: sizes.reduce((sum, size) => sum + size, 0) }));
`;
  await writeFile(join(application, "web-ui.mjs"), program);
  const { statuses, size } = JSON.parse(await inApplication("node", "web-ui.mjs"));
  expect(statuses).toEqual([200, 200, 200]);
  expect(size).toBeLessThan(200_000);
});

test("executors on engines are there without the engines' packages, and name them where they are needed", async () => {
  const program = `import { defineAgent } from "dragoman";
import { dbosExecutor } from "dragoman/durable/dbos";
import { restateExecutor } from "dragoman/durable/restate";
import { memoryRuns } from "dragoman/stores";
const common = { store: memoryRuns(), agents: [defineAgent({ name: "clerk" })] };
const restate = restateExecutor({ ...common, ingress: "http://127.0.0.1:1" });
const told = ({ code, message }) => console.log(code, message);
await restate.start("clerk", "Hi").catch(told); // needs no package
await restate.listener().catch(told);
await dbosExecutor({ ...common, database: "postgres://127.0.0.1:1/desk" }).catch(told);
`;
  await writeFile(join(application, "engines.mjs"), program);
  expect((await inApplication("node", "engines.mjs")).split("\n")).toEqual([
    expect.stringMatching(/^engine-unavailable The ingress of Restate cannot be reached/),
    expect.stringMatching(/^missing-package .*npm i @restatedev\/restate-sdk$/),
    expect.stringMatching(/^missing-package .*npm i @dbos-inc\/dbos-sdk$/),
  ]);
});

test("npx dragoman --version prints the package's version", async () => {
  expect(await inApplication("npx", "--no-install", "dragoman", "--version")).toBe(
    manifest.version,
  );
});

test("an application that checks its libraries' types, and has no others, compiles", async () => {
  const program = `import { defineAgent, defineTool, type RunResult } from "dragoman";
import { DbosExecutor } from "dragoman/durable/dbos";
import { RestateExecutor } from "dragoman/durable/restate";
import { scriptedModel } from "dragoman/testing";
const executors = [DbosExecutor, RestateExecutor];
const tool = defineTool({ name: "now", description: "The hour.", execute: () => "noon" });
const agent = defineAgent({ name: "clock", model: scriptedModel(["Noon."]), tools: [tool] });
const result: RunResult = await agent.ask("How late is it?");
// @ts-expect-error: a run has no such status.
result.status === "sleeping";
`;
  await writeFile(join(application, "program.ts"), program);
  const options =
    "--strict --module nodenext --target esnext --noEmit --skipLibCheck false --types";
  const compiler = join(root, "node_modules/.bin/tsc");
  expect(await inApplication(compiler, ...options.split(" "), "", "program.ts")).toBe("");
});
