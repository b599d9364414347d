import type { Clock } from "../base/clock.ts";
import { DragomanError } from "../base/dragoman-error.ts";
import type { LargeValues } from "./large-values.ts";
import { RunError } from "./run-error.ts";
import type { RunEvent } from "./run-event.ts";
import { runLimits } from "./run-limits.ts";
import { atTheEnd, whileRunning } from "./run-patience.ts";
import type { RunChanges, RunKey, RunStore, StepRecord } from "./run-store.ts";

/** Where a run is recorded, and under whose name. */
export interface RunRecorderOptions {
  readonly store: RunStore;
  readonly key: RunKey;
  readonly owner: string;
  readonly clock: Clock;
  /** The run's: no step is waited for any longer. */
  readonly signal: AbortSignal;
  /** Where values go that are too large for the store. */
  readonly largeValues: LargeValues;
}

/** How long events may wait for a step to be written with, in milliseconds. */
const longestDelayMs = 50;

/**
 * Writes a run's steps and events to its store, in order. While one write is under way, what comes is
 * gathered for the next, so that many steps side by side cost few writes.
 */
export class RunRecorder {
  readonly #options: RunRecorderOptions;
  #steps: StepRecord[] = [];
  #events: RunEvent[] = [];
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();
  #stopTimer: (() => void) | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(options: RunRecorderOptions) {
    this.#options = options;
  }

  /** Keeps an event, soon. */
  event(event: RunEvent): void {
    this.#events.push(event);
    if (this.#next === undefined) {
      this.#stopTimer ??= this.#options.clock.startTimer(() => {
        this.#stopTimer = undefined;
        this.#flush().catch(() => {}); // told by the next step, or at the end
      }, longestDelayMs);
    }
  }

  /**
   * Keeps a step, with the events so far.
   *
   * @throws RunError `step-too-large`, and then the step is not kept; what the store throws; the signal's
   *   reason, and then it may be kept or not.
   */
  step(record: StepRecord): Promise<void> {
    return whileRunning(this.#options.signal, async () => {
      try {
        this.#steps.push(await this.#writable(record));
      } catch (reason) {
        // As if the step itself could not be written: the run can be resumed when the store is well.
        this.#failure ??= isStoreFailure(reason) ? { reason } : undefined;
        throw reason;
      }
      await this.#flush();
    });
  }

  /** @throws RunError `step-too-large`; ArtifactError. */
  async #writable(record: StepRecord): Promise<StepRecord> {
    const written = await this.#options.largeValues.step(record);
    const json = written.kind === "finished" ? JSON.stringify(written.value) : "";
    refuseTooLarge(record.key, json.length);
    return written;
  }

  /**
   * Keeps how the run ended or stands, with all that is left, and `end` as the last event: in one write,
   * so that no run is kept that has told of its end and goes on.
   *
   * @throws what the store throws; RunError `store-unavailable` where it does not answer: see `runPatience`.
   */
  conclude(changes: RunChanges, end: RunEvent): Promise<void> {
    return atTheEnd(this.#conclude(changes, end), this.#options, (afterMs) => {
      const message = `The store of run ${this.#options.key.id} did not answer within ${afterMs} ms. Whether its end was kept is unknown.`;
      return new RunError(message, { code: "store-unavailable" });
    });
  }

  async #conclude(changes: RunChanges, end: RunEvent): Promise<void> {
    await (this.#next ?? this.#current);
    this.#current = this.#write({ ...changes, events: [...this.#takeEvents(), end] });
    await this.#current;
  }

  #flush(): Promise<void> {
    this.#next ??= this.#current.then(
      () => this.#writeGathered(),
      () => this.#writeGathered(),
    );
    return this.#next;
  }

  #writeGathered(): Promise<void> {
    const steps = this.#steps;
    this.#steps = [];
    this.#next = undefined;
    this.#current = this.#write({ steps, events: this.#takeEvents() });
    return this.#current;
  }

  #takeEvents(): readonly RunEvent[] {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** After one failure nothing is written: what came later would stand without what came before. */
  async #write(changes: RunChanges): Promise<void> {
    const { store, key, owner, largeValues } = this.#options;
    if (this.#failure !== undefined) {
      throw this.#failure.reason;
    }
    try {
      const { events = [] } = changes;
      const written = await Promise.all(events.map((event) => largeValues.event(event)));
      await store.write(key, owner, { ...changes, events: written });
    } catch (reason) {
      this.#failure = { reason };
      throw reason;
    }
  }
}

/** Whether a store of artifacts has failed, rather than refused. */
const isStoreFailure = (thrown: unknown): boolean =>
  DragomanError.is(thrown) && /^store-|^artifact-store-/.test(thrown.code);

function refuseTooLarge(key: string, length: number): void {
  if (length > runLimits.maxStepLength) {
    throw new RunError(
      `Step "${key}" gave ${length} characters of JSON, and a run that is kept may record ${runLimits.maxStepLength} a step. Let the tool return less, or give configure({ artifacts }) a store.`,
      { code: "step-too-large" },
    );
  }
}
