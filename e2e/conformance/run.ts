/**
 * Runs the official conformance suite against our client and holds it to more than it holds itself:
 * `node run.ts --requirements 2026-07-28`, or `node run.ts --suite all --runner 0.1.16`. The last line
 * of its output is `N passed, N failed`; the exit code is 1 where anything failed.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { faultsOf, totalsOf, unclear } from "./gate.ts";
import { type Runner, runners, runScenario, runSuite } from "./suite.ts";

const { values } = parseArgs({
  options: {
    requirements: { type: "string" },
    suite: { type: "string" },
    runner: { type: "string", default: "0.2.0-alpha.12" },
  },
});
const { requirements, suite, runner } = values;
if ((requirements === undefined) === (suite === undefined) || !isRunner(runner)) {
  console.error(
    `Say what is to be run: --requirements 2025-11-25, --requirements 2026-07-28, or --suite all. The runner is one of ${Object.keys(runners).join(", ")}.`,
  );
  process.exit(2);
}

/** More than so many scenarios that fail are no matter of load. */
const mostAgain = 6;

const e2e = fileURLToPath(new URL("..", import.meta.url));
if (!existsSync(`${e2e}node_modules/${runners[runner]}`)) {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: e2e, stdio: "inherit" });
}

const asked =
  requirements === undefined
    ? { kind: "suite" as const, name: suite ?? "" }
    : { kind: "requirements" as const, name: requirements };
const run = { runner, asked, folder: e2e };
let outcome = await runSuite(run);
const again = unclear(outcome, runner, asked);
if (again.length <= mostAgain) {
  // Connections time out where forty clients share two processors; what is wrong is wrong alone, too.
  for (const scenario of again) {
    console.log(`again, alone: ${scenario}`);
    const { scenarios, timedOut } = await runScenario(scenario, run);
    const others = outcome.scenarios.filter((one) => one.scenario !== scenario);
    outcome = { ...outcome, scenarios: [...others, ...scenarios], timedOut };
  }
}
for (const { scenario, passed, failed, warnings } of outcome.scenarios) {
  const more = warnings === 0 ? "" : `, ${warnings} warnings`;
  console.log(`${scenario}: ${passed} passed, ${failed} failed${more}`);
}
const faults = faultsOf(outcome, { runner, asked });
for (const fault of faults) {
  console.log(`fault: ${fault}`);
}
const { passed, failed } = totalsOf(outcome);
console.log(`${passed} passed, ${failed + faults.length} failed`);
process.exitCode = failed + faults.length === 0 ? 0 : 1;

function isRunner(name: string): name is Runner {
  return Object.hasOwn(runners, name);
}
