import { type ChildProcess, spawn } from "node:child_process";
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

/** Sends a signal to every process of a group. On Windows, which has no signals, the tree is ended. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (onWindows) {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => {});
    return;
  }
  trySignal(pid, signal);
}

/** Ends what is left of a group whose leader is gone and waits, for a moment, until it has vanished. */
export async function sweepGroup(pid: number): Promise<void> {
  const sweeps = 25;
  for (let sweep = 0; sweep < sweeps && !onWindows && trySignal(pid, "SIGKILL"); sweep += 1) {
    await sleep(10);
  }
  release(pid);
}

const onWindows = process.platform === "win32";

/** Whether there was someone to signal. */
function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
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

function killAll(): void {
  for (const pid of live) {
    signalGroup(pid, "SIGKILL");
  }
}
