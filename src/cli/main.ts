#!/usr/bin/env node
import { runCli } from "./run-cli.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `error: dragoman needs Node.js 22.18 or newer, and this is ${process.versions.node}.\n`,
  );
  process.exit(2);
}

const controller = new AbortController();

/** The first signal stops the run in good order; a second one ends the process at once. */
function stop(name: string): void {
  if (controller.signal.aborted) {
    process.exit(2);
  }
  controller.abort(name);
}

process.on("SIGINT", stop);
process.on("SIGTERM", stop);
// A reader that goes away (`| head`) is no fault of the run's, but there is nobody to tell more.
process.stdout.on("error", () => controller.abort("the output was closed"));
process.stderr.on("error", () => {}); // the exit code says it as well

process.exitCode = await runCli(process.argv.slice(2), {
  // Looking at it opens it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: controller.signal,
});
process.off("SIGINT", stop);
process.off("SIGTERM", stop);
