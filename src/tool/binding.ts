import type { Credential } from "../base/credential.ts";

/** Who runs: what a callback may know of the run that it is called for. */
export interface Binding<Context = unknown> {
  readonly run: {
    readonly id: string;
    /** The authenticated caller, as the application names it. */
    readonly actor?: string;
    /** What the application gave with the run. Never written to a journal, a log or a prompt. */
    readonly context: Context;
    /** Names from the outermost assembly to this agent. */
    readonly agentPath: readonly string[];
  };
  readonly agent: { readonly name: string };
  /** Aborts when the run is cancelled or its deadline passes. */
  readonly signal: AbortSignal;
  /** When the run must end, in milliseconds since the Unix epoch. */
  readonly deadline?: number;
  /**
   * The credential of that name, for this run's actor, from the configured source.
   *
   * @throws ConfigurationError where no source is configured, or none is known by that name.
   */
  credential(name: string): Promise<Credential>;
}
