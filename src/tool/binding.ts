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

/**
 * What the participants of one run share. It ends with the run, and is kept with it where the run is
 * kept. Never put a credential here.
 */
export interface SharedMemory {
  /** What is kept under a key now; `undefined` for nothing. */
  get<Value extends Json = Json>(key: MemoryKey<Value>): Value | undefined;
  /**
   * Keeps a value for the other participants; of two who set a key, the last wins.
   *
   * @throws ConfigurationError where the value is not JSON.
   */
  set<Value extends Json = Json>(key: MemoryKey<Value>, value: Value): Promise<void>;
  /** The keys under which something is kept. */
  keys(): readonly string[];
  /**
   * Waits until something is kept under a key.
   *
   * @throws the signal's reason.
   */
  waitFor<Value extends Json = Json>(key: MemoryKey<Value>, signal: AbortSignal): Promise<Value>;
  /** Calls `listener` at each change from now on. @returns what ends it. */
  onChange(listener: (key: string, value: Json) => void): () => void;
}

/** A key, by its name; one made by {@link memoryKey} knows the type of its value. */
export type MemoryKey<Value extends Json> = string | TypedMemoryKey<Value>;

/** A key that knows the type of its value. */
export interface TypedMemoryKey<Value extends Json> {
  readonly name: string;
  /** Only for the compiler. */
  readonly value?: Value;
}

/** A key of {@link SharedMemory} for values of one type. */
export const memoryKey = <Value extends Json>(name: string): TypedMemoryKey<Value> => ({ name });

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
    /** What the participants of the run share; absent where there is no run, as when tools are listed. */
    readonly memory?: SharedMemory;
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
