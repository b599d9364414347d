import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** How a child is started. */
export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; the command is looked up in its PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** What it reads from further descriptors: 3, 4 and so on. Not on Windows. */
  readonly feeds?: readonly (string | Uint8Array)[];
  /** Gets what it writes to the descriptor after those. */
  onReport?(chunk: Buffer): void;
}

/**
 * Starts a program, without a shell, as the leader of a process group of its own, so that whatever
 * it starts can be ended with it. Until {@link sweepGroup}, the end of our own process ends the group.
 *
 * Rejects with the system's error (`ENOENT`, `EACCES`, …) where it cannot be started.
 */
export async function spawnGroup(request: SpawnRequest): Promise<ChildProcess> {
  const { feeds = [], onReport } = request;
  const further = [...feeds, ...(onReport === undefined ? [] : [onReport])].map(() => "pipe");
  const options = {
    env: request.env,
    cwd: request.cwd,
    // spawn wants the tuple, not string[]
    stdio: ["pipe", "pipe", "pipe", ...further] as ["pipe", "pipe", "pipe"],
    detached: !onWindows,
    windowsHide: true,
  };
  // On Windows a command such as `npx` is a script, which needs an interpreter and careful quoting.
  const start = onWindows ? (await import("cross-spawn")).default : spawn;
  const child = start(request.command, [...request.args], options);
  await once(child, "spawn");
  serveDescriptors(child, request);
  if (child.pid !== undefined) {
    guard(child.pid);
  }
  return child;
}

function serveDescriptors(child: ChildProcess, { feeds = [], onReport }: SpawnRequest): void {
  const pipes = child.stdio.slice(3);
  for (const [index, pipe] of pipes.entries()) {
    pipe?.on("error", () => {}); // whoever does not read or write ends, and that is told elsewhere
    if (pipe instanceof Writable && index < feeds.length) {
      pipe.end(feeds[index]);
    } else if (onReport !== undefined) {
      pipe?.on("data", onReport);
    }
  }
}

/** What ends a group. */
export type GroupEnding =
  | { readonly kind: "signal"; readonly target: number; readonly signal: NodeJS.Signals }
  | { readonly kind: "program"; readonly file: string; readonly args: readonly string[] }
  | { readonly kind: "nothing" };

/** A group that is to be ended. */
export interface EndedGroup {
  /** That of the leader. */
  readonly pid: number;
  /** Whether the leader is gone. */
  readonly hasExited: boolean;
}

/**
 * How a group is ended. Windows has no groups and no signals: there the tree of a process is ended, as long
 * as its root lives. Afterwards what it has started can no longer be told, and its number may be another
 * program's. The program for it is named with its folder, since Windows looks into the current one first.
 */
export function groupEnding(
  { pid, hasExited }: EndedGroup,
  signal: NodeJS.Signals,
  { platform, env }: { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv },
): GroupEnding {
  if (platform !== "win32") {
    return { kind: "signal", target: -pid, signal };
  }
  if (hasExited) {
    return { kind: "nothing" };
  }
  const system = env["SYSTEMROOT"] ?? env["SystemRoot"] ?? "C:\\Windows";
  const args = ["/pid", String(pid), "/T", "/F"];
  return { kind: "program", file: `${system}\\System32\\taskkill.exe`, args };
}

/** Sends a signal to every process of a group. On Windows, which has no signals, the tree is ended. */
export function signalGroup(group: EndedGroup, signal: NodeJS.Signals): void {
  const ending = groupEnding(group, signal, process);
  switch (ending.kind) {
    case "signal":
      trySignal(ending.target, signal);
      return;
    case "program":
      spawn(ending.file, [...ending.args], quiet).on("error", () => {});
      return;
    case "nothing":
      return;
  }
}

/** Ends what is left of a group whose leader is gone and waits, for a moment, until it has vanished. */
export async function sweepGroup(pid: number): Promise<void> {
  const sweeps = 25;
  for (let sweep = 0; sweep < sweeps && !onWindows && trySignal(-pid, "SIGKILL"); sweep += 1) {
    await sleep(10);
  }
  release(pid);
}

const quiet = { stdio: "ignore", windowsHide: true } as const;

const onWindows = process.platform === "win32";

/** Whether there was someone to signal. */
function trySignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false; // gone, or no longer ours
  }
}

/** Leaders of the groups that must not outlive this process. */
const live = new Set<number>();

const fatalSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** One set of listeners for all groups, there while there is a group. */
function guard(pid: number): void {
  if (live.size === 0) {
    process.on("exit", killAll);
    for (const signal of fatalSignals) {
      process.on(signal, onFatalSignal);
    }
  }
  live.add(pid);
}

function release(pid: number): void {
  if (live.delete(pid) && live.size === 0) {
    process.removeListener("exit", killAll);
    for (const signal of fatalSignals) {
      process.removeListener(signal, onFatalSignal);
    }
  }
}

/** Whoever else listens decides what a signal means. Alone, we must not change what it does. */
function onFatalSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) {
    return;
  }
  killAll();
  process.removeListener(signal, onFatalSignal);
  process.kill(process.pid, signal);
}

/** At the end of our process: what takes time has to be waited for in place. */
function killAll(): void {
  for (const pid of live) {
    const ending = groupEnding({ pid, hasExited: false }, "SIGKILL", process);
    if (ending.kind === "program") {
      spawnSync(ending.file, [...ending.args], quiet);
    } else if (ending.kind === "signal") {
      trySignal(ending.target, ending.signal);
    }
  }
}
