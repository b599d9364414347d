import type { Clock } from "../base/clock.ts";
import { EventLog } from "../base/event-log.ts";
import { isOutsideSteps, PastEvents, type PlacedEvent } from "./past-events.ts";
import { eventMerging, type RunEvent, type RunEventBody } from "./run-event.ts";
import type { RunRecorder } from "./run-recorder.ts";

/** What an execution of a run goes on from. */
export interface PublishedBefore {
  /** The last sequence number. */
  readonly sequence: number;
  /** Events of earlier executions, which are not published again. */
  readonly events: readonly PlacedEvent[];
  readonly recorder: RunRecorder | undefined;
}

/** Gives events their place and passes them to readers and to the run's record. */
export class RunPublisher implements AsyncIterable<RunEvent> {
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #log: EventLog<RunEvent> | undefined;
  readonly #kept: RunEvent[] = [];
  #past = new PastEvents([]);
  #recorder: RunRecorder | undefined;
  #sequence = 0;
  #hasEnded = false;

  /** @param observed whether anybody may read the events; if not, none are kept for readers. */
  constructor(runId: string, clock: Clock, observed: boolean) {
    this.#runId = runId;
    this.#clock = clock;
    this.#log = observed ? new EventLog(eventMerging) : undefined;
  }

  /** Goes on from earlier executions, which must be said before the first event. */
  goOnFrom({ sequence, events, recorder }: PublishedBefore): void {
    this.#sequence = sequence;
    this.#past = new PastEvents(events);
    this.#recorder = recorder;
  }

  /** Publishes an event, unless an earlier execution has. */
  publish(body: RunEventBody, agentPath: readonly string[], part = ""): void {
    if (!this.#past.meet({ body, agentPath, part })) {
      this.publishAnew(body, agentPath, part);
    }
  }

  /**
   * Publishes the event that this execution ends with. What comes after it, from work that was given
   * up, is no event of the run any more.
   */
  publishEnd(body: RunEventBody, agentPath: readonly string[]): void {
    this.publish(body, agentPath);
    this.#hasEnded = true;
  }

  /** Publishes an event, whatever was published before. */
  publishAnew(body: RunEventBody, agentPath: readonly string[], part = ""): void {
    if (this.#hasEnded) {
      return;
    }
    this.#sequence += 1;
    const event: RunEvent = {
      ...body,
      runId: this.#runId,
      sequence: this.#sequence,
      time: this.#clock.now(),
      agentPath,
      ...(part === "" ? {} : { part }),
    };
    this.#log?.append(event);
    if (this.#recorder !== undefined) {
      this.#recorder.event(event);
    } else if (isOutsideSteps(body)) {
      this.#kept.push(event);
    }
  }

  /** What must not be published again if the run, which is not recorded, is put aside. */
  get kept(): readonly RunEvent[] {
    return this.#kept;
  }

  close(): void {
    this.#log?.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    yield* this.#log ?? [];
  }
}
