import type { Clock } from "../base/clock.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";

/** An event ready to be sent. */
export interface SentEvent<Event = AgUiEvent> {
  readonly event: Event;
  /** What a client names to read on after it. */
  readonly id: string | undefined;
}

/** What a stream is written with. */
export interface EventStreamOptions {
  readonly clock: Clock;
  /** After so many milliseconds without an event, a comment is sent. */
  readonly heartbeatMs: number;
  /** Says that the reader is gone, as closing the stream does. */
  readonly signal: AbortSignal;
  /** Called once: the events are at their end, or nobody reads them any more. */
  readonly onEnd: () => void;
}

type Events = AsyncIterator<SentEvent<unknown>> | Iterator<SentEvent<unknown>>;

/**
 * Events as server-sent events. An event is asked for when the reader has taken the one before, so that
 * nothing piles up for a slow reader.
 */
export function eventStream(
  events: Events,
  options: EventStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const source = new EventSource(events, options);
  return new ReadableStream(
    {
      start: (controller) => source.start(controller),
      pull: () => source.pull(),
      cancel: () => source.leave(),
    },
    { highWaterMark: 0 },
  );
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

class EventSource {
  readonly #events: Events;
  readonly #options: EventStreamOptions;
  readonly #encoder = new TextEncoder();
  #controller: Controller | undefined;
  /** The event that was asked for and has not come yet. */
  #asked: Promise<IteratorResult<SentEvent<unknown>>> | undefined;
  #hasEnded = false;
  #stopTimer = (): void => {};
  readonly #onAbort = (): void => this.leave();

  constructor(events: Events, options: EventStreamOptions) {
    this.#events = events;
    this.#options = options;
  }

  start(controller: Controller): void {
    const { signal } = this.#options;
    this.#controller = controller;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) {
      this.leave();
    }
  }

  async pull(): Promise<void> {
    this.#asked ??= Promise.resolve(this.#events.next());
    const next = await Promise.race([this.#asked, this.#quiet()]);
    this.#stopTimer();
    if (this.#hasEnded) {
      return;
    }
    if (next === undefined) {
      this.#send(": ping\n\n");
      return;
    }
    this.#asked = undefined;
    if (next.done) {
      this.#end();
      this.#controller?.close();
      return;
    }
    this.#send(frameOf(next.value));
  }

  /** Nobody reads any more. */
  leave(): void {
    if (this.#hasEnded) {
      return;
    }
    this.#end();
    this.#stopTimer();
    // Its end waits for the event that was asked for, which may be long in coming.
    void Promise.resolve(this.#events.return?.()).catch(() => {});
  }

  #send(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #end(): void {
    this.#hasEnded = true;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#options.onEnd();
  }

  /** Fulfilled when nothing has come for a while, or nobody reads any more. */
  #quiet(): Promise<undefined> {
    const { clock, heartbeatMs } = this.#options;
    return new Promise((resolve) => {
      const stop = clock.startTimer(() => resolve(undefined), heartbeatMs);
      this.#stopTimer = () => {
        stop();
        resolve(undefined);
      };
    });
  }
}

/** JSON has no line breaks of its own, hence one line. */
const frameOf = ({ event, id }: SentEvent<unknown>): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`;
