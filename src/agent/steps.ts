import type { Json } from "../base/json.ts";
import type { RunEventBody } from "./run-event.ts";

/** One try of a step. */
export interface StepAttempt {
  /** The same for each try of this step, different for every other step of any run. */
  readonly idempotencyKey: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** What a journal must know of a step before it runs it. */
export interface StepOptions {
  /** Whether a second try does no harm. Default false. */
  readonly idempotent?: boolean;
}

/**
 * The only door through which a run's loop touches the world. Where a journal stands behind it, a run
 * survives its process, since the loop itself reads no clock and no random number.
 *
 * Each call takes the next ordinal at once, in the order of the calls, so that steps which run side by
 * side replay in order. A step that has finished never runs again; its recorded value is returned. A
 * value is JSON and holds no credential.
 */
export interface Steps {
  /**
   * Does `perform` and records what it gives.
   *
   * @throws what `perform` throws; a failure is not recorded.
   */
  run<Value extends Json>(
    name: string,
    perform: (attempt: StepAttempt) => Promise<Value>,
    options?: StepOptions,
  ): Promise<Value>;
  /** Waits for a value that somebody sends under this name; `null` when `timeoutMs` passes first. */
  waitFor<Value extends Json>(
    signalName: string,
    options?: { readonly timeoutMs?: number },
  ): Promise<Value | null>;
  sleep(durationMs: number): Promise<void>;
  /** Milliseconds since the Unix epoch, recorded. */
  now(): Promise<number>;
  /** A random id, recorded. */
  randomId(): Promise<string>;
  /** Publishes an event of the run. */
  emit(event: RunEventBody): void;
}
