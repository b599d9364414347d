import { leastChecks } from "./least-checks.ts";
import type { Asked, Runner, ScenarioOutcome, SuiteOutcome } from "./suite.ts";

/** Scenarios of extensions that we do not have (SEP-2640, skills): neither passed nor failed. */
const isApplicable = ({ scenario }: ScenarioOutcome): boolean => !scenario.startsWith("sep-2640-");

/** Scenarios in which a client that ends with an error is right, since it is asked to do what it must not. */
const mayFail = new Set([
  "http-invalid-tool-headers",
  "auth/resource-mismatch",
  "auth/scope-retry-limit",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
]);

/** The checks of all scenarios that apply to us. */
export function totalsOf({ scenarios }: SuiteOutcome): { passed: number; failed: number } {
  const ours = scenarios.filter(isApplicable);
  const sum = (count: (outcome: ScenarioOutcome) => number): number =>
    ours.reduce((total, outcome) => total + count(outcome), 0);
  return { passed: sum(({ passed }) => passed), failed: sum(({ failed }) => failed) };
}

/**
 * What is wrong beyond failed checks: the suite passes a client that does nothing, or is killed. Each
 * scenario that is known must have run, with as many checks as it ever had, to a good end of our client,
 * and without a warning.
 */
export function faultsOf(
  outcome: SuiteOutcome,
  { runner, asked }: { readonly runner: Runner; readonly asked: Asked },
): readonly string[] {
  const { scenarios, isWhole, timedOut } = outcome;
  const least = leastFor(runner, asked);
  const ran = new Map(scenarios.map((one) => [one.scenario, one]));
  const missing = Object.keys(least).filter((name) => !ran.has(name));
  return [
    ...(Object.keys(least).length === 0 ? ["nothing is known of what must be run"] : []),
    ...(isWhole ? [] : ["the suite came to no end"]),
    ...(timedOut ? ["a client was killed for taking too long"] : []),
    ...missing.map((name) => `${name} did not run`),
    ...scenarios.filter(isApplicable).flatMap((one) => faultsIn(one, least[one.scenario])),
  ];
}

/** Scenarios that are not as they should be, and may be so only because forty clients ran at once. */
export function unclear(outcome: SuiteOutcome, runner: Runner, asked: Asked): readonly string[] {
  const least = leastFor(runner, asked);
  return outcome.scenarios
    .filter(isApplicable)
    .filter((one) => faultsIn(one, least[one.scenario]).length > 0)
    .map(({ scenario }) => scenario);
}

const leastFor = (runner: Runner, { kind, name }: Asked): Readonly<Record<string, number>> =>
  leastChecks[`${runner} ${kind} ${name}`] ?? {};

function faultsIn(outcome: ScenarioOutcome, least: number | undefined): readonly string[] {
  const { scenario, passed, failed, warnings, failures, exitCode, said } = outcome;
  const isGoodEnd = exitCode === 0 || (exitCode === 1 && mayFail.has(scenario));
  const words = said.split("\n").slice(0, 4).join(" ").slice(0, 400);
  return [
    ...(least === undefined ? [`${scenario} is not known`] : []),
    ...(failed > 0 ? failures.map((failure) => `${scenario}: ${failure}`).slice(0, 5) : []),
    ...(failed === 0 && warnings > 0 ? failures.map((failure) => `${scenario}: ${failure}`) : []),
    ...(passed < (least ?? 0)
      ? [`${scenario} passed only ${passed} checks, and has ${least}`]
      : []),
    ...(isGoodEnd ? [] : [`${scenario}: our client ended with ${exitCode}: ${words}`]),
  ];
}
