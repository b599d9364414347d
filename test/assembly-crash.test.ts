import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import type { RunEvent } from "../src/agent/run-event.ts";
import { sqliteRuns } from "../src/stores/sqlite-runs.ts";
import { allEnds, workPaths } from "./nested-assembly.ts";

const program = fileURLToPath(new URL("./crashing-assembly.ts", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-crash-"));
  return () => rmSync(folder, { recursive: true });
});

/** Runs the program to its end. @returns its lines, and the signal that ended it. */
const execute = (...args: readonly string[]) =>
  new Promise<{ lines: readonly string[]; signal: string | null }>((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (_error, stdout) =>
      resolve({ lines: stdout.trim().split("\n"), signal: child.signalCode }),
    );
  });

const endsOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap(({ kind, agentPath }) =>
    ["agent-end", "tool-end", "run-end"].includes(kind) ? [`${kind} ${agentPath.join("/")}`] : [],
  );

test("a nested assembly that is killed in the middle of each call ends, and runs no finished branch again", async () => {
  const file = join(folder, "runs.db");
  const log = join(folder, "log");
  await using store = sqliteRuns({ file });
  const read = () => readFileSync(log, "utf8").trim().split("\n");
  let { lines, signal } = await execute(file, log);
  const [id = ""] = lines;
  let kills = 0;
  while (signal === "SIGKILL") {
    kills += 1;
    const finished = (await store.steps({ app: "default", id }))
      .filter(({ kind, key }) => kind === "finished" && key.includes("tool:work"))
      .map(({ key }) => key);
    const keys = read().map((line) => line.replace(/^[^ ]* :/, ""));
    expect(keys).toEqual(expect.arrayContaining(finished));
    const calls = keys.length;
    ({ lines, signal } = await execute(file, log, id));
    const again = read()
      .slice(calls)
      .map((line) => line.replace(/^[^ ]* :/, ""));
    expect(again.filter((key) => finished.includes(key))).toEqual([]);
  }
  expect(kills).toBeGreaterThanOrEqual(5);
  expect(lines.at(-1)).toBe("completed summed up");
  const events = await store.events({ app: "default", id });
  expect(endsOf(events).toSorted()).toEqual(allEnds.toSorted());
  const sequences = events.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].toSorted((one, other) => one - other));
  const paths = read().map((line) => line.replace(/ .*/, ""));
  expect([...new Set(paths)].toSorted()).toEqual([...new Set(workPaths)].toSorted());
}, 120_000);
