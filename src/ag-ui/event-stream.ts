import type { Clock } from "../base/clock.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";

/** An event ready to be sent. */
export interface SentEvent {
  readonly event: AgUiEvent;
  /** What a client names to read on after it. */
  readonly id: string | undefined;
}

/** What a stream is written with. */
export interface EventStreamOptions {
  readonly clock: Clock;
  /** After so many milliseconds without an event, a comment is sent. */
  readonly heartbeatMs: number;
  /** Called once: the events are at their end, or nobody reads them any more. */
  readonly onEnd: () => void;
}

/**
 * Events as server-sent events. An event is asked for when the reader has taken the one before, so that
 * nothing piles up for a slow reader.
 */
export function eventStream(
  events: AsyncIterator<SentEvent, unknown>,
  { clock, heartbeatMs, onEnd }: EventStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let asked: Promise<IteratorResult<SentEvent, unknown>> | undefined;
  let stopWaiting = (): void => {};
  let hasEnded = false;
  const end = (): void => {
    if (!hasEnded) {
      hasEnded = true;
      onEnd();
    }
  };
  const quiet = (): Promise<"quiet"> =>
    new Promise((resolve) => {
      const stop = clock.startTimer(() => resolve("quiet"), heartbeatMs);
      stopWaiting = () => {
        stop();
        resolve("quiet");
      };
    });
  return new ReadableStream(
    {
      async pull(controller) {
        asked ??= events.next();
        const next = await Promise.race([asked, quiet()]);
        stopWaiting();
        if (hasEnded) {
          return;
        }
        if (next === "quiet") {
          controller.enqueue(encoder.encode(": ping\n\n"));
          return;
        }
        asked = undefined;
        if (next.done) {
          end();
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(frameOf(next.value)));
      },
      cancel() {
        end();
        stopWaiting();
        // Its end waits for the event that was asked for, which may be long in coming.
        events.return?.().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

/** JSON has no line breaks of its own, hence one line. */
const frameOf = ({ event, id }: SentEvent): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`;
