import { createSandbox } from "../src/process/create-sandbox.ts";

/** Runs one command in a sandbox, and prints what came of it: node sandbox-host.ts COMMAND LIMITS. */
const [command = "", limits = "{}"] = process.argv.slice(2);
const sandbox = await createSandbox({ limits: JSON.parse(limits) });
const outcome = await sandbox.run({ program: "/bin/sh", args: ["-c", command] });
console.log(JSON.stringify(outcome));
