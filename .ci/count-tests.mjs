// Prints the closing line of .ci/run, "N passed, N failed", and exits with 1 where anything failed:
// node .ci/count-tests.mjs FAILED-PHASE...
// Plain JavaScript, since it also has to run where `npm ci` failed and Node is the system's.
import { readFileSync } from "node:fs";

const failedPhases = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const suite of ["unit", "e2e"]) {
  const report = read(`reports/${suite}.json`);
  if (report === undefined) {
    console.log(`There is no report of the ${suite} tests.`);
    failed += 1;
    continue;
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  // A file that could not be loaded has failed, though no test of it has.
  for (const { status, name, assertionResults } of report.testResults) {
    if (status === "failed" && !assertionResults.some((test) => test.status === "failed")) {
      console.log(`Failed as a whole: ${name}`);
      failed += 1;
    }
  }
  if (report.numPassedTests === 0) {
    console.log(`No ${suite} test passed.`);
    failed += 1;
  }
}

if (failedPhases.length > 0) {
  console.log(`Failed: ${failedPhases.join(", ")}`);
  // Lint, types and the like are no tests: the phase itself is what failed.
  failed = Math.max(failed, 1);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
