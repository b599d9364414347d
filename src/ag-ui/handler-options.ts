import type { RunOptions } from "../agent/run-options.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { EventFilter } from "./event-filter.ts";
import type { InputLimits, RunAgentInput } from "./run-agent-input.ts";
import type { TranslationOptions } from "./run-translation.ts";

/** Who calls, as the application has found out. */
export interface Caller {
  /** As the application names them; threads and runs of one are no other's. Absent: nobody's. */
  readonly actor?: string;
  /** What tools and callbacks of the caller's runs get as the run's context. */
  readonly context?: unknown;
}

/** What a run of a request may have besides what the endpoint gives it. */
export type RunOptionsOfRequest = Omit<RunOptions, "actor" | "session" | "signal" | "store">;

/** How an AG-UI endpoint serves its agent. */
export interface AgUiHandlerOptions {
  /**
   * Finds out who calls, by the request's headers (a token, a cookie); it may not read the body.
   * `undefined` means nobody who may, and is answered with 401; a `Response` is sent as it is.
   * `() => ({})` lets everybody in, as nobody in particular.
   */
  authenticate(
    request: Request,
  ): Caller | Response | undefined | Promise<Caller | Response | undefined>;
  /**
   * Where the histories of threads are kept. Default: the configured store of sessions. Where there is
   * none, or with `"none"`, the history is what the client sends.
   */
  readonly sessions?: SessionStore | "none";
  /** Where runs are kept. Default: the configured store; else those that wait are kept in memory. */
  readonly runs?: RunStore;
  /** More for the runs of a request: a model, limits, a time. What is in `input` is the caller's word. */
  runOptions?(scope: {
    readonly input: RunAgentInput;
    readonly caller: Caller;
  }): RunOptionsOfRequest | Promise<RunOptionsOfRequest>;
  /**
   * What becomes of a run whose last reader is gone: it is cancelled, or it goes on, and the client may
   * come back and read on. Default `"cancel"`.
   */
  readonly onDisconnect?: "cancel" | "continue";
  /** How long a run that went on can be read after its end, in milliseconds. Default 300 000. */
  readonly keepMs?: number;
  /** Whether tools that the client brings are given to the run. Default true. */
  readonly clientTools?: boolean;
  /** Whether what the client gives as context is put before what the user says. Default true. */
  readonly clientContext?: boolean;
  /**
   * What the client may know of the thread's state, which is sent when it changes. Absent: no state is
   * sent. Without a store of sessions the state is what the client sent, as tools have changed it.
   */
  readonly state?: (state: JsonObject) => Json;
  /** See {@link EventFilter}. */
  readonly filter?: EventFilter;
  /** The trace that a request belongs to, for the custom event `dragoman.trace_context`. */
  readonly traceContext?: (request: Request) => TranslationOptions["traceContext"];
  /** After so many milliseconds without an event, a comment keeps the connection open. Default 15 000. */
  readonly heartbeatMs?: number;
  /** How much a request may bring. */
  readonly limits?: InputLimits & {
    /** Default 10 MiB. */
    readonly maxBytes?: number;
  };
}
