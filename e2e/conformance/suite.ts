import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** The packages that the versions of the suite are installed as. */
export const runners = {
  "0.2.0-alpha.12": "mcp-conformance",
  "0.1.16": "mcp-conformance-0.1",
} as const;

/** A version of the suite. */
export type Runner = keyof typeof runners;

/** What is asked of the suite. */
export interface Asked {
  readonly kind: "requirements" | "suite";
  readonly name: string;
}

/** What came of one scenario. */
export interface ScenarioOutcome {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  /** What failed, in the suite's words. */
  readonly failures: readonly string[];
  /** The exit code that our client noted; `undefined` where it came to no end. */
  readonly exitCode: number | undefined;
  /** What our client wrote to its standard error. */
  readonly said: string;
}

/** What came of a run of the suite. */
export interface SuiteOutcome {
  readonly scenarios: readonly ScenarioOutcome[];
  /** Whether the suite came to its end. */
  readonly isWhole: boolean;
  readonly timedOut: boolean;
}

/** All scenarios run at once, on whatever machine this is. */
const scenarioTimeoutMs = 150_000;

/** Where and with what a suite runs. */
export interface SuiteRun {
  readonly runner: Runner;
  readonly asked: Asked;
  /** The folder e2e. */
  readonly folder: string;
}

/** Runs the suite against `client.ts`: all its scenarios at once, as it does. */
export function runSuite(run: SuiteRun): Promise<SuiteOutcome> {
  const { asked } = run;
  return runWith([`--${asked.kind}`, asked.name], run);
}

/** Runs one scenario by itself, as it is run among the others. */
export function runScenario(scenario: string, run: SuiteRun): Promise<SuiteOutcome> {
  const { asked } = run;
  const revision = asked.kind === "requirements" ? ["--spec-version", asked.name, "--force"] : [];
  return runWith(["--scenario", scenario, ...revision], run);
}

async function runWith(
  choice: readonly string[],
  { runner, folder }: SuiteRun,
): Promise<SuiteOutcome> {
  const results = await mkdtemp(join(tmpdir(), "dragoman-conformance-"));
  const exits = await mkdtemp(join(tmpdir(), "dragoman-conformance-exits-"));
  try {
    const output = await runToEnd(
      [
        join("node_modules", runners[runner], "dist/index.js"),
        // The suite splits this at blanks, so it must hold no path of this machine.
        ...["client", "--command", "node conformance/client.ts", ...choice],
        ...["--timeout", String(scenarioTimeoutMs), "--output-dir", results],
      ],
      { cwd: folder, exits, runner },
    );
    return {
      scenarios: await readOutcomes(results, exits),
      isWhole: /^(?:Total|Passed): \d+/m.test(output),
      timedOut: /timed out/i.test(output),
    };
  } finally {
    await rm(results, { recursive: true });
    await rm(exits, { recursive: true });
  }
}

async function runToEnd(
  args: readonly string[],
  { cwd, exits, runner }: { readonly cwd: string; readonly exits: string; readonly runner: string },
): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      ...process.env,
      PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}`,
      DRAGOMAN_CONFORMANCE_EXITS: exits,
      DRAGOMAN_CONFORMANCE_RUNNER: runner,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => void chunks.push(chunk));
  await once(child, "close");
  return Buffer.concat(chunks).toString("utf8");
}

/** One check of the suite, as far as it matters here. */
interface Check {
  readonly name: string;
  readonly status: string;
  readonly description: string;
  readonly errorMessage?: string;
}

async function readOutcomes(results: string, exits: string): Promise<readonly ScenarioOutcome[]> {
  const exitCodes = new Map(
    (await readdir(exits)).map((name) => [name, Number(readFileSync(join(exits, name), "utf8"))]),
  );
  const outcomes = globSync("**/checks.json", { cwd: results }).map(async (file) => {
    // The folder is the scenario's name, with slashes, and the time.
    const path = relative(".", join(file, "..")).replaceAll("\\", "/");
    const scenario = path.replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
    const checks = JSON.parse(await readFile(join(results, file), "utf8")) as readonly Check[];
    const of = (status: string): readonly Check[] =>
      checks.filter((check) => check.status === status);
    return {
      scenario,
      passed: of("SUCCESS").length,
      failed: of("FAILURE").length,
      warnings: of("WARNING").length,
      failures: [...of("FAILURE"), ...of("WARNING")].map(
        ({ name, description, errorMessage }) => `${name}: ${errorMessage ?? description}`,
      ),
      exitCode: exitCodes.get(scenario.replaceAll("/", "_")),
      said: await readFile(join(results, file, "..", "stderr.txt"), "utf8"),
    };
  });
  return (await Promise.all(outcomes)).toSorted((a, b) => (a.scenario < b.scenario ? -1 : 1));
}
