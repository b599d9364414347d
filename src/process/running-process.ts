import type { ChildProcess } from "node:child_process";
import { type SpawnRequest, signalGroup, spawnGroup, sweepGroup } from "./process-group.ts";

/** A program that runs, with all that it has started. */
export interface RunningProcess {
  readonly child: ChildProcess;
  /** Sends a signal to the program and what it has started. After SIGKILL `child` exits. */
  signal(signal: NodeJS.Signals): void;
  /** Ends what is left once `child` has exited, and waits until it has vanished. */
  sweep(): Promise<void>;
  /** Whether, once `child` has exited, the program itself never ran, since its sandbox could not be made. */
  hasFailed?(): boolean;
}

/**
 * Starts a program as a group of processes, without a sandbox. Rejects with the system's error
 * (`ENOENT`, `EACCES`, …) where it cannot be started.
 */
export async function startProcess(request: SpawnRequest): Promise<RunningProcess> {
  const child = await spawnGroup(request);
  const pid = child.pid ?? 0; // it has one: it was spawned
  return {
    child,
    signal: (signal) => signalGroup({ pid, hasExited: hasExited(child) }, signal),
    sweep: () => sweepGroup(pid),
  };
}

/** Whether a child of ours is gone. */
const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;
