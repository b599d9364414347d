import type { Credential } from "../base/credential.ts";
import type { Json } from "../base/json.ts";

/** The conversation that a run belongs to, as callbacks and tools see it. */
export interface BoundSession {
  readonly id: string;
  /**
   * What the session's state holds under this key now; `undefined` where it holds nothing.
   *
   * @throws SessionError where the store fails.
   */
  getState(key: string): Promise<Json | undefined>;
  /**
   * Sets one key of the session's state at once, for this and every other run; `undefined` removes it.
   * Of two who set a key, the last wins. Never put a credential here: state is stored.
   *
   * @throws SessionError where the store fails; ConfigurationError where the value is not JSON.
   */
  setState(key: string, value: Json | undefined): Promise<void>;
}

/** Who runs: what a callback may know of the run that it is called for. */
export interface Binding<Context = unknown> {
  readonly run: {
    readonly id: string;
    /** The authenticated caller, as the application names it. */
    readonly actor?: string;
    /** What the application gave with the run. Never written to a journal, a log or a prompt. */
    readonly context: Context;
    /** The conversation that the run belongs to, where it was given one. */
    readonly session?: BoundSession;
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
