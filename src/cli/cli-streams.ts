import type { Readable, Writable } from "node:stream";

/** The world of the command line: everything that it reads or writes besides files and servers. */
export interface CliStreams {
  /** Only of commands that are spoken to. */
  readonly stdin?: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the person wants to stop. */
  readonly signal: AbortSignal;
}
