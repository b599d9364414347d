import type { ProcessRunner } from "./process-runner.ts";
import { runProcess } from "./run-process.ts";
import { checkRunnerOptions, type RunnerOptions, runnerKeys } from "./runner-options.ts";
import { startProcess } from "./running-process.ts";

/**
 * A runner WITHOUT a sandbox: programs do whatever you may do. They read and write all your files, use
 * the network, and see and end your other processes. For tests, and for machines that are themselves
 * the sandbox: a container, a virtual machine that holds nothing else.
 *
 * Limits of time and of what is kept of outputs hold, and nothing that a program starts outlives it,
 * save what leaves its group of processes on purpose. The environment holds PATH, HOME, LANG and what
 * `env` lists, none of your other variables.
 */
export function unsandboxedRunner(options: RunnerOptions = {}): ProcessRunner {
  const own = checkRunnerOptions(options, runnerKeys, "unsandboxedRunner(…)");
  return {
    isolation: "none",
    network: "inherit",
    timeoutMs: own.timeoutMs,
    maxOutputBytes: own.maxOutputBytes,
    run: ({ args = [], folders = [], ...command }) =>
      runProcess({ ...own, ...command }, () =>
        startProcess({
          command: command.program,
          args,
          env: { ...usualEnvironment(), ...own.env, ...command.env },
          cwd: command.cwd ?? folders[0]?.path,
        }),
      ),
  };
}

/** What programs need to run at all, of ours. On Windows that is more than elsewhere. */
function usualEnvironment(): Readonly<Record<string, string>> {
  const names = ["PATH", "HOME", "LANG", "SYSTEMROOT", "PATHEXT", "COMSPEC", "TEMP", "USERPROFILE"];
  return Object.fromEntries(
    names.flatMap((name) => {
      // biome-ignore lint/style/noProcessEnv: what a child inherits is what this process has
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
