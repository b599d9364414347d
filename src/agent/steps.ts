import type { Json } from "../base/json.ts";
import type { RunEventBody } from "./run-event.ts";
import type { Decision, Waiting } from "./waiting.ts";

/** One try of a step. */
export interface StepAttempt {
  /** The same for each try of this step, different for every other step of any run. */
  readonly idempotencyKey: string;
  /**
   * Which execution of the run this is: 1, and one more each time it was resumed. A step may have been
   * tried that often.
   */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** What a journal must know of a step before it runs it. */
export interface StepOptions<Value extends Json = Json> {
  /**
   * Tells it from others of its name, whatever order they are taken in: the id of a call. Default: how
   * many of that name were taken before it.
   */
  readonly id?: string;
  /**
   * Whether a second try does no harm. Default true. A step that says no, and was in flight when its
   * process ended, is not tried again before `inDoubt` has said so.
   */
  readonly idempotent?: boolean;
  /**
   * Asked where such a step was in flight: may have taken effect, and nobody knows.
   *
   * @param tries how often it was begun.
   * @returns what the step gives instead, or `undefined` where it is to be done again.
   */
  readonly inDoubt?: (tries: number) => Promise<Value | undefined>;
  /**
   * Whether it is taken while no other step of the participant is under way. If it is new then although
   * recorded steps were not come to, the agent has changed, and `run` says so. Default false.
   */
  readonly alone?: boolean;
}

/**
 * The only door through which a run's loop touches the world. Where a journal stands behind it, a run
 * survives its process, since the loop itself reads no clock and no random number.
 *
 * A step is known by its name and its id, else by how many of that name the same participant took before
 * it, counted at the call; so steps that run side by side are found again, whatever order they end in. A
 * step that has finished never runs again; its recorded value is returned. A value is JSON and holds no credential.
 */
export interface Steps {
  /**
   * Does `perform` and records what it gives.
   *
   * @throws what `perform` throws; a failure is not recorded. What `inDoubt` throws; RunError
   *   `step-mismatch` where the recorded run took other steps, `step-too-large`, `run-lost` and what
   *   the run's store throws.
   */
  run<Value extends Json>(
    name: string,
    perform: (attempt: StepAttempt) => Promise<Value>,
    options?: StepOptions<Value>,
  ): Promise<Value>;
  /**
   * Whether the next step of that name, or the one of that id, was begun by an earlier execution. What
   * does not know says no.
   */
  isRecorded(name: string, id?: string): boolean;
  /**
   * What was decided for `waiting`; `null` where its time is over.
   *
   * @throws Suspension where nothing is decided yet: the run is put aside and comes here again.
   */
  waitFor(waiting: Waiting): Promise<Decision | null>;
  sleep(durationMs: number): Promise<void>;
  /** Milliseconds since the Unix epoch, recorded. */
  now(): Promise<number>;
  /** A random id, recorded. */
  randomId(): Promise<string>;
  /**
   * The same for what is only looked at: recorded at once, written with the next step. What an earlier
   * execution has seen is seen again.
   */
  note<Value extends Json>(name: string, look: () => Value): Value;
  /** The values of all recorded steps of a name, in order, which count as taken then. */
  recall<Value extends Json>(name: string): readonly Value[];
  /** Publishes an event of the run. */
  emit(event: RunEventBody): void;
  /** Names the participant within the run: empty for the one that was asked, else ends with a slash. */
  readonly path: string;
  /**
   * The steps of a participant in the run: counted apart and ended by its own signal; its name is added
   * to the path of its events.
   *
   * @param id tells it from others of its name, whatever order they are asked in. Default: how many of
   *   that name were asked before it.
   */
  within(participant: string, signal: AbortSignal, id?: string): Steps;
  /**
   * From now on a step that is not recorded throws `reason` instead of being taken, here and in all
   * participants within: this one has ended in an earlier execution.
   */
  seal(reason: unknown): void;
  /** Whether no new step is taken any more. */
  readonly isSealed: boolean;
}
