import type { TraceContext } from "../base/trace-context.ts";
import type { Model } from "../model/model.ts";
import type { TextAdapter } from "../model/text-adapter.ts";
import type { RunLimits } from "./loop-guard.ts";
import type { RunStore } from "./run-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { ToolLevel } from "./tool-level.ts";
import type { Decision } from "./waiting.ts";

/** The conversation that a run belongs to. */
export interface SessionChoice {
  /** Its id within the application. A session that is not there is created, for the run's actor. */
  readonly id: string;
  /** Default: the configured one. The run does not close it. */
  readonly store?: SessionStore;
}

/** What holds for one run only. */
export interface RunOptions extends ToolLevel {
  /** The authenticated caller, as the application names it. */
  readonly actor?: string;
  /** Anything that tools and callbacks of this run should have. Never logged or stored. */
  readonly context?: unknown;
  /**
   * The conversation that this run goes on with: its messages are put before the input, and this run's
   * are appended when it ends, however it ends. It must be the actor's own; for a run without an
   * actor, one that nobody owns.
   */
  readonly session?: SessionChoice;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  /** The longest that the run may take, in milliseconds; then it fails with `deadline-exceeded`. */
  readonly timeoutMs?: number;
  /** Instead of the agent's model. */
  readonly model?: string | Model | TextAdapter;
  /**
   * Each instead of the agent's limit of that name. Steps, calls and tokens also of all whom the agent
   * or assembly asks, together.
   */
  readonly limits?: RunLimits;
  /**
   * Where the run is kept while it goes on, so that it survives its process. Default: the configured
   * one; where there is none, the run is kept in memory, and only while it waits for somebody.
   */
  readonly store?: RunStore;
  /**
   * The trace that the run belongs to, as `traceContextFrom` reads it from the headers of a request.
   * Default: what the tracer knows to go on where the run begins, else a trace of its own.
   */
  readonly trace?: TraceContext;
}

/** What a run is resumed with. */
export interface ResumeOptions extends RunOptions {
  /** What was decided, by the id of what is waited for. */
  readonly decisions?: Readonly<Record<string, Decision>>;
}
