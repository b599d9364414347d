import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);

/**
 * Scenarios of the official suite that apply to a server of tools, and how many checks each must pass:
 * the suite itself also passes a server of which it checks nothing.
 */
const scenarios: readonly (readonly [string, string, number])[] = [
  ["2025-11-25", "server-initialize", 3],
  ["2025-11-25", "server-session-lifecycle", 3],
  ["2025-11-25", "ping", 2],
  ["2025-11-25", "tools-list", 3],
  ["2025-11-25", "tools-call-simple-text", 2],
  ["2025-11-25", "tools-call-image", 2],
  ["2025-11-25", "tools-call-audio", 2],
  ["2025-11-25", "tools-call-embedded-resource", 2],
  ["2025-11-25", "tools-call-mixed-content", 2],
  ["2025-11-25", "tools-call-error", 2],
  ["2025-11-25", "tools-call-with-progress", 2],
  ["2025-11-25", "json-schema-2020-12", 8],
  ["2025-11-25", "server-sse-multiple-streams", 2],
  ["2025-11-25", "dns-rebinding-protection", 2],
  ["2026-07-28", "tools-list", 4],
  ["2026-07-28", "tools-call-simple-text", 2],
  ["2026-07-28", "tools-call-image", 2],
  ["2026-07-28", "tools-call-audio", 2],
  ["2026-07-28", "tools-call-embedded-resource", 2],
  ["2026-07-28", "tools-call-mixed-content", 2],
  ["2026-07-28", "tools-call-error", 2],
  ["2026-07-28", "tools-call-with-progress", 2],
  ["2026-07-28", "json-schema-2020-12", 8],
  ["2026-07-28", "server-sse-multiple-streams", 1],
  ["2026-07-28", "dns-rebinding-protection", 2],
  ["2026-07-28", "http-header-validation", 14],
];

let server: ChildProcess;
let url = "";

beforeAll(async () => {
  server = spawn(process.execPath, ["conformance/server.ts"], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit").then(() => {
    throw new Error("The server did not start.");
  });
  const [line] = await Promise.race([once(server.stdout ?? server, "data"), ended]);
  ended.catch(() => {}); // that is how it ends
  url = `${String(line).trim()}/mcp`;
});

afterAll(async () => {
  const exit = once(server, "exit");
  server.kill("SIGTERM");
  await exit;
});

test.each(scenarios)(
  "P10: our server passes the official conformance scenario of %s: %s",
  async (revision, scenario, least) => {
    const folder = await mkdtemp(join(tmpdir(), "dragoman-conformance-"));
    try {
      const program = join("node_modules", "mcp-conformance", "dist/index.js");
      const asked = ["--scenario", scenario, "--spec-version", revision, "--url", url];
      await run(process.execPath, [program, "server", ...asked, "-o", folder], {
        cwd: import.meta.dirname,
      });
      const checks = await checksIn(folder);
      const statuses = checks.map(({ status }) => status);
      expect(statuses.filter((status) => status === "FAILURE" || status === "WARNING")).toEqual([]);
      expect(statuses.filter((status) => status === "SUCCESS").length).toBeGreaterThanOrEqual(
        least,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

interface Check {
  readonly id: string;
  readonly status: string;
}

async function checksIn(folder: string): Promise<readonly Check[]> {
  const files = await readdir(folder, { recursive: true });
  const file = files.find((name) => name.endsWith("checks.json"));
  return JSON.parse(await readFile(join(folder, file ?? "checks.json"), "utf8")) as Check[]; // the suite's
}
