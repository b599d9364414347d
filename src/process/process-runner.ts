import type { SandboxFolder, SandboxNetwork } from "../base/sandbox-settings.ts";

/** A program that is to be run to its end. */
export interface ProcessCommand {
  /** Looked up in the program's own PATH; no shell is involved. */
  readonly program: string;
  readonly args?: readonly string[];
  /** Where it starts, as a path of this machine. Default: the first of `folders`, else the runner's choice. */
  readonly cwd?: string;
  /** What it may see beside what the runner shows to every program. */
  readonly folders?: readonly SandboxFolder[];
  /** Added to the runner's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads on its standard input. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** In milliseconds. Default: the runner's. */
  readonly timeoutMs?: number;
  /** How much of each of its two outputs is kept. Default: the runner's. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export type ProcessEnd =
  /** By itself. In a sandbox a signal that ended it is 128 and its number, as in a shell. */
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signalled"; readonly signal: string }
  /** It was ended, since its time was over. */
  | { readonly kind: "timed-out"; readonly timeoutMs: number }
  /** It was ended, since it wrote far more than is kept. */
  | { readonly kind: "flooded"; readonly bytes: number };

/** What a program wrote to one of its outputs. */
export interface ProcessOutput {
  /** Its beginning and its end, where something had to be left out between them. */
  readonly text: string;
  /** How much it wrote. */
  readonly bytes: number;
  /** How much of that is not in `text`. */
  readonly omittedBytes: number;
}

/** What came of running a program. */
export interface ProcessOutcome {
  readonly end: ProcessEnd;
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
  readonly durationMs: number;
}

/**
 * Runs programs for tools. Whoever has one of their own (containers, another machine) implements this.
 *
 * `run` gives whatever end the program came to, and nothing that it started is left then. It rejects
 * with the signal's reason, once all is ended; with a `ToolError` where the program cannot be started;
 * with a `ConfigurationError` where the runner itself cannot work. It may be called several times at once.
 */
export interface ProcessRunner {
  /** What keeps programs from the rest of the machine; `"none"`: nothing does. */
  readonly isolation: string;
  /** What programs reach; absent for `"inherit"`. */
  readonly network?: SandboxNetwork;
  /** In milliseconds. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  run(command: ProcessCommand): Promise<ProcessOutcome>;
}
