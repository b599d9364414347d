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
  #log: EventLog<RunEvent> | undefined;
  readonly #kept: RunEvent[] = [];
  #past = new PastEvents([]);
  #recorder: RunRecorder | undefined;
  #sequence = 0;
  #end: RunEvent | undefined;

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

  /** Publishes an event, whatever was published before. */
  publishAnew(body: RunEventBody, agentPath: readonly string[], part = ""): void {
    // What comes after the end, from work that was given up, is no event of the run any more.
    if (this.#end === undefined) {
      const event = this.#place(body, agentPath, part);
      this.#log?.append(event);
      if (this.#recorder !== undefined) {
        this.#recorder.event(event);
      } else if (isOutsideSteps(body)) {
        this.#kept.push(event);
      }
    }
  }

  /** The event that this execution ends with, to be kept; readers get it by {@link close}. */
  end(body: RunEventBody, agentPath: readonly string[]): RunEvent {
    this.#end ??= this.#place(body, agentPath, "");
    return this.#end;
  }

  /** What must not be published again if the run, which is not recorded, is put aside; without its end. */
  get kept(): readonly RunEvent[] {
    return this.#kept;
  }

  /** Keeps nothing for readers any more; those that read get no more. */
  forget(): void {
    this.#log?.close();
    this.#log = undefined;
  }

  /** Ends what readers get. @param instead of the end, where that could not be kept. */
  close(instead?: RunEventBody): void {
    if (this.#end !== undefined) {
      const { runId, sequence, time, agentPath } = this.#end;
      this.#log?.append(
        instead === undefined ? this.#end : { ...instead, runId, sequence, time, agentPath },
      );
    }
    this.#log?.close();
  }

  #place(body: RunEventBody, agentPath: readonly string[], part: string): RunEvent {
    this.#sequence += 1;
    return {
      ...body,
      runId: this.#runId,
      sequence: this.#sequence,
      time: this.#clock.now(),
      agentPath,
      ...(part === "" ? {} : { part }),
    };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    yield* this.#log ?? [];
  }
}
