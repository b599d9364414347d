/** `npm run bench -- NAME…` measures; without a name, everything. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Benchmark } from "./benchmark.ts";
import { formatTable } from "./format-table.ts";

/** A line for each benchmark's file. They are loaded when what they import is installed. */
const benchmarks: Readonly<Record<string, () => Promise<{ readonly benchmark: Benchmark }>>> = {
  durable: () => import("./durable-steps.ts"),
  engines: () => import("./engines.ts"),
  "import-time": () => import("./import-time.ts"),
  "model-stream": () => import("./model-stream.ts"),
  server: () => import("./server-load.ts"),
  tracing: () => import("./tracing.ts"),
};

process.exitCode = await run(process.argv.slice(2));

/** @returns the process's exit code: 0 where every claim holds, 1 where one does not, 2 for an unknown name. */
async function run(names: readonly string[]): Promise<0 | 1 | 2> {
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  if (unknown.length > 0) {
    console.error(
      `There is no benchmark "${unknown.join('", "')}"; there is: ${Object.keys(benchmarks).join(", ")}.`,
    );
    return 2;
  }
  installPeers();
  runNpm("..", "run", "build");
  console.log(`\nNode ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}`);
  let allHold = true;
  for (const [name, load] of Object.entries(benchmarks)) {
    if (names.length === 0 || names.includes(name)) {
      const { benchmark } = await load();
      console.log(`\n${name}: ${benchmark.description}\n`);
      const { table, claims } = await benchmark.run();
      console.log(formatTable(table));
      for (const { text, holds } of claims) {
        console.log(`\n${holds ? "holds" : "DOES NOT HOLD"}: ${text}`);
        allHold &&= holds;
      }
    }
  }
  return allHold ? 0 : 1;
}

/** Installs what the lock says, unless it is there. */
function installPeers(): void {
  const wanted = new URL("package-lock.json", import.meta.url);
  // npm keeps a copy of the lock's packages with what it has installed.
  const installed = new URL("node_modules/.package-lock.json", import.meta.url);
  if (!existsSync(installed) || packagesOf(installed) !== packagesOf(wanted)) {
    runNpm(".", "ci", "--no-audit", "--no-fund");
  }
}

function packagesOf(lockFile: URL): string {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as {
    packages: Record<string, unknown>; // npm's lock, version 3
  };
  const { "": _root, ...dependencies } = packages;
  return JSON.stringify(dependencies);
}

function runNpm(folder: "." | "..", ...command: readonly string[]): void {
  const cwd = new URL(`${folder}/`, import.meta.url);
  execFileSync("npm", command, { cwd, stdio: ["ignore", "inherit", "inherit"] });
}
