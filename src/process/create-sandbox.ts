import { ConfigurationError } from "../base/dragoman-error.ts";
import { faultOfSandbox, type SandboxSettings } from "../base/sandbox-settings.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import type { ProcessRunner } from "./process-runner.ts";
import { runProcess } from "./run-process.ts";
import { checkRunnerOptions, type RunnerOptions, runnerKeys } from "./runner-options.ts";
import { startSandboxed } from "./start-sandboxed.ts";

/** What a sandbox lets programs see and use. */
export interface SandboxOptions extends SandboxSettings, RunnerOptions {}

/**
 * A runner that puts each program into a sandbox of its own, made by bubblewrap.
 *
 * A program sees the system's programs and the folders that it is given, all read-only unless said
 * otherwise, an empty `/tmp`, and processes of its own; it has no network unless `network: "inherit"`,
 * the environment that `env` lists, and limits. What it may change is what is writable of the folders.
 * It is not kept from using the machine's processors, from filling a writable folder, nor, with
 * `network: "inherit"`, from sending what it reads anywhere.
 *
 * @throws ConfigurationError `sandbox-unavailable` where there is no working bubblewrap: programs are
 *   never run without a sandbox instead; `invalid-configuration` on a fault of the options.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<ProcessRunner> {
  const { env, timeoutMs, maxOutputBytes, ...settings } = options;
  const known = [...runnerKeys, "folders", "network", "limits"];
  const own = checkRunnerOptions(options, known, "createSandbox(…)");
  const fault = faultOfSandbox(settings);
  if (fault !== undefined) {
    throw new ConfigurationError(`createSandbox(…): ${fault}`, { code: "invalid-configuration" });
  }
  await findBubblewrap();
  return {
    isolation: "bubblewrap",
    network: settings.network ?? "none",
    timeoutMs: own.timeoutMs,
    maxOutputBytes: own.maxOutputBytes,
    run: ({ args = [], folders = [], ...command }) => {
      const cwd = command.cwd ?? folders[0]?.path;
      return runProcess({ ...own, ...command }, () =>
        startSandboxed(
          { program: command.program, args, env: { ...own.env, ...command.env }, cwd },
          { ...settings, folders: [...(settings.folders ?? []), ...folders] },
        ),
      );
    },
  };
}
