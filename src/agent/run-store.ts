import type { Json } from "../base/json.ts";
import type { Usage } from "../model/usage.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunFailure } from "./run-failure.ts";
import type { RunInput } from "./run-input.ts";
import type { Decision, Waiting } from "./waiting.ts";

/** What is recorded of one step. */
export type StepRecord =
  /** It began, and must not be begun again by itself: only of steps that are not idempotent. */
  | {
      readonly kind: "started";
      readonly key: string;
      /** How often it was begun, this time included. */
      readonly tries: number;
    }
  | { readonly kind: "finished"; readonly key: string; readonly value: Json };

/** Where a run stands. `running` is also what a run says whose process has ended. */
export type RunStatus = "running" | "suspended" | "completed" | "failed" | "cancelled";

/** What a run begins with. Plain JSON; no context, no credential. */
export interface NewRun {
  readonly id: string;
  readonly app: string;
  /** The agent or assembly that was asked. */
  readonly agent: string;
  readonly actor?: string;
  /** Id of the session that it goes on with. */
  readonly session?: string;
  readonly input: RunInput;
}

/** A run as its store knows it. */
export interface RunRecord extends NewRun {
  readonly status: RunStatus;
  /** What it waits for; while it is running, what it waited for last and is not decided. */
  readonly waitingFor: readonly Waiting[];
  /** What was decided so far, by the id of what was waited for. */
  readonly decisions: Readonly<Record<string, Decision>>;
  /** Whether something was decided that no execution has taken up yet: the run can go on. */
  readonly ready: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Sequence number of the last event that was kept. */
  readonly sequence: number;
  /** Text of the answer, once there is one. */
  readonly text?: string;
  /** The typed answer, as JSON. */
  readonly output?: Json;
  /** Tokens of all its executions. */
  readonly usage?: Usage;
  readonly error?: RunFailure;
}

/** Which run is meant. */
export interface RunKey {
  readonly app: string;
  readonly id: string;
  /** Whose run it must be; one of another actor, or of nobody, is then as if it were not there. */
  readonly actor?: string;
}

/** What one write adds and changes, all of it or nothing. */
export interface RunChanges {
  readonly steps?: readonly StepRecord[];
  /** With sequence numbers above those that are kept; one that is kept already is passed over. */
  readonly events?: readonly RunEvent[];
  readonly status?: RunStatus;
  /** Replaces what it waited for. */
  readonly waitingFor?: readonly Waiting[];
  readonly text?: string;
  readonly output?: Json;
  readonly usage?: Usage;
  readonly error?: RunFailure;
}

/** Which runs to list. */
export interface RunFilter {
  readonly app: string;
  /** Absent: everybody's. */
  readonly actor?: string;
  readonly status?: RunStatus;
  readonly session?: string;
  readonly ready?: boolean;
  /** Those that were changed last before then, in milliseconds since the Unix epoch. */
  readonly changedBefore?: number;
  /** How many at most: 1 to 1000, default 100. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

/** Some of the runs that were asked for, the last changed first. */
export interface RunPage {
  readonly runs: readonly RunRecord[];
  /** Where the next page begins; absent on the last. Opaque. */
  readonly next?: string;
}

/** Which events to read. */
export interface EventRange {
  /**
   * Those with a greater sequence number only. Pieces of a text may be kept joined; of such an event
   * there is what came after.
   */
  readonly after?: number;
  /** How many at most: from 1 on. */
  readonly limit?: number;
}

/** Of whom all runs are removed: of an actor, of a session, or of an actor in a session. */
export type RunOwner =
  | { readonly app: string; readonly actor: string; readonly session?: string }
  | { readonly app: string; readonly session: string; readonly actor?: string };

/** Which runs have been kept long enough. */
export interface RunAge {
  readonly app: string;
  /** How long nothing has changed, in milliseconds. */
  readonly olderThanMs: number;
  /** Default: all that have ended. */
  readonly status?: readonly RunStatus[];
}

/**
 * Keeps runs: where they stand, the steps they have taken and what happened in them.
 *
 * - **One owner.** A run is executed under an owner's name, a random text. Whoever takes it over
 *   replaces the owner, and a write under an older name is refused with `run-lost`. So two processes
 *   may both believe to execute a run, but only one of them can record it.
 * - **Atomic.** A write is kept as a whole or not at all; what was acknowledged survives `kill -9` where
 *   the store outlives its process.
 * - **Decided once.** The first decision for something that is waited for stands; another is refused
 *   with `decision-refused`.
 *
 * Methods reject with `RunError`: `run-not-found` where a key reaches no run, `run-conflict`,
 * `run-lost`, `decision-refused`, `run-invalid` for an id, a limit or a value that is not taken, and
 * the codes that begin with `store-`: see `RunErrorCode`. What was not acknowledged may be written again.
 */
export interface RunStore extends AsyncDisposable {
  /** @throws RunError `run-conflict` where the application has a run of that id. */
  create(run: NewRun, owner: string): Promise<void>;
  /** @returns `undefined` where there is none. */
  get(key: RunKey): Promise<RunRecord | undefined>;
  list(filter: RunFilter): Promise<RunPage>;
  /** All of a run's steps, each key once: a finished one replaces its start. */
  steps(key: RunKey): Promise<readonly StepRecord[]>;
  /** Events in the order of their sequence numbers. */
  events(key: RunKey, range?: EventRange): Promise<readonly RunEvent[]>;
  /** @throws RunError `run-lost` where `owner` executes the run no more. */
  write(key: RunKey, owner: string, changes: RunChanges): Promise<void>;
  /**
   * Records decisions for what the run waits for, all or none.
   *
   * @throws RunError `decision-refused` where the run does not wait for one of them, or it was decided.
   */
  decide(key: RunKey, decisions: Readonly<Record<string, Decision>>): Promise<RunRecord>;
  /**
   * Makes `owner` the one who executes a run that has not ended, and its status `running`. With
   * decisions it does what `decide` does in the same write.
   *
   * @throws RunError `run-finished`; `decision-refused`.
   */
  takeOver(
    key: RunKey,
    owner: string,
    decisions?: Readonly<Record<string, Decision>>,
  ): Promise<RunRecord>;
  /**
   * Gives something at once and then each time that something may have changed: of the run, or of any
   * of the application's. Changes that come faster than they are taken are told once. Ends when the
   * signal aborts. `followRun` makes events of it.
   */
  changes(
    of: { readonly app: string; readonly id?: string },
    signal: AbortSignal,
  ): AsyncIterable<void>;
  /**
   * Removes a run and all that this store has of it; `eraseRun` of `dragoman/stores` its artifacts, too.
   *
   * @returns whether there was one.
   */
  delete(key: RunKey): Promise<boolean>;
  /**
   * Removes all runs of an actor or a session, also those that are executed; `eraseActor` and
   * `eraseSession` of `dragoman/stores` their artifacts, too.
   *
   * @returns how many.
   */
  deleteAll(owner: RunOwner): Promise<number>;
  /**
   * Removes what was kept long enough; `pruneRuns` of `dragoman/stores` its artifacts, too.
   *
   * @returns how many runs.
   */
  prune(age: RunAge): Promise<number>;
}
