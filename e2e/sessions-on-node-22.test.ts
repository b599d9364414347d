import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "./run-program.ts";

const root = join(import.meta.dirname, "..");
const node22 = join(import.meta.dirname, "node_modules/node22/bin/node");

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

test("on the oldest Node that we promise, sessions in memory and on SQLite pass all their tests", async () => {
  expect(await runProgram(root, node22, "--version")).toBe("v22.18.0");
  const folder = await mkdtemp(join(tmpdir(), "dragoman-node-22-"));
  try {
    const file = join(folder, "report.json");
    const options = ["--typecheck.enabled=false", "--reporter=json", `--outputFile=${file}`];
    const runner = join(root, "node_modules/vitest/vitest.mjs");
    await runProgram(root, node22, runner, "run", "src/stores", ...options);
    const report = JSON.parse(await readFile(file, "utf8")) as Report; // as vitest writes it
    expect(report.numPassedTests).toBeGreaterThan(60);
    expect(report.numFailedTests).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 120_000);
