import { resolve } from "node:path";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { SandboxSettings } from "../base/sandbox-settings.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { signalGroup, spawnGroup, sweepGroup } from "./process-group.ts";
import type { RunningProcess } from "./running-process.ts";
import { sandboxCall } from "./sandbox-arguments.ts";
import { SandboxView } from "./sandbox-view.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** A program for a sandbox. */
export interface SandboxedProgram {
  readonly program: string;
  readonly args: readonly string[];
  /**
   * What its environment holds beside PATH, HOME and the like, which are the sandbox's. PATH: where
   * the program is looked up here; of it the sandbox has the folders that it shows.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Where it starts, as a path of this machine. Default: the current folder if it is shown, else `/tmp`. */
  readonly cwd: string | undefined;
}

/**
 * Starts a program in a sandbox of bubblewrap: name spaces of its own for users, processes, IPC, host
 * name, control groups and (unless inherited) the network; a read-only root with the system's programs
 * and the folders that the settings name; no capability, fewer system calls, limits. It ends with our
 * process, however that ends.
 *
 * @throws ConfigurationError `sandbox-unavailable` where there is no working bubblewrap,
 *   `invalid-configuration` where a folder is missing or the program is not shown.
 */
export async function startSandboxed(
  { program, args, env, cwd }: SandboxedProgram,
  { folders = [], network = "none", limits = {} }: SandboxSettings,
): Promise<RunningProcess> {
  const bubblewrap = await findBubblewrap();
  const here = resolve(cwd ?? ".");
  const view = new SandboxView(folders, here);
  const path = env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  const plan = {
    mounts: view.mounts,
    network,
    limits,
    cwd: view.placeOf(here) ?? elsewhere(cwd),
    program: view.findProgram(program, path, here),
    args,
  };
  const call = sandboxCall(plan, bubblewrap, seccompFilter(process.arch));
  const status = new SandboxStatus();
  const child = await spawnGroup({
    command: bubblewrap.program,
    args: call.args,
    // Through the environment of bubblewrap itself: its arguments can be read by whoever lists processes.
    env: { ...ownEnvironment, ...env, PATH: view.pathWithin(path) },
    cwd: "/",
    feeds: call.feeds,
    onReport: (chunk) => status.push(chunk),
  });
  const pid = child.pid ?? 0; // it has one: it was spawned
  return {
    child,
    signal: (signal) => status.signal(pid, signal),
    async sweep() {
      await sweepGroup(pid);
      await status.sweep();
    },
    hasFailed: () => !status.hasEnded && child.exitCode !== null,
  };
}

const ownEnvironment: Readonly<Record<string, string>> = {
  HOME: "/tmp",
  TMPDIR: "/tmp",
  USER: "sandbox",
  LOGNAME: "sandbox",
  SHELL: "/bin/sh",
  LANG: "C.UTF-8",
};

function elsewhere(cwd: string | undefined): string {
  if (cwd !== undefined) {
    throw new ConfigurationError(
      `The program is to start in ${cwd}, which the sandbox does not show. Add it to "folders" of the sandbox.`,
      { code: "invalid-configuration" },
    );
  }
  return "/tmp";
}

/** What bubblewrap tells of the sandbox: the first of its processes, above all. */
class SandboxStatus {
  #text = "";
  #first: number | undefined;

  /** Whether the program has ended, and so has run. */
  get hasEnded(): boolean {
    return this.#text.includes('"exit-code"');
  }

  push(chunk: Buffer): void {
    this.#text = `${this.#text}${chunk.toString("utf8")}`.slice(0, 4096);
    const [, pid] = /"child-pid": (\d+)/.exec(this.#text) ?? [];
    this.#first ??= pid === undefined ? undefined : Number(pid);
  }

  /**
   * With the first process of its name space all others end, and bubblewrap after them: once it has
   * exited, nothing is left. A milder signal goes to the program, since bubblewrap itself would die of it.
   */
  signal(bubblewrap: number, signal: NodeJS.Signals): void {
    const first = this.#first;
    if (first === undefined || !trySignal(signal === "SIGKILL" ? first : -first, signal)) {
      signalGroup({ pid: bubblewrap, hasExited: false }, signal); // Linux asks for the group alone
    }
  }

  /** Where bubblewrap was killed by somebody else, the sandbox dies of that a moment later. */
  async sweep(): Promise<void> {
    if (this.#first !== undefined && !this.hasEnded && trySignal(this.#first, 0)) {
      await sweepGroup(this.#first);
    }
  }
}

function trySignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // gone
  }
}
