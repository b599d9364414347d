import type { Clock } from "../../base/clock.ts";
import { sleep } from "../../base/sleep.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { readServerSentEvents } from "../../http/server-sent-events.ts";
import { reconnectDelayMs } from "../wire/reconnect-delay.ts";
import { beginningOf, isEventStream } from "./http-caller.ts";

/** How a stream of events is kept open. */
export interface KeepListeningOptions {
  /** Opens the stream, after the event of this id where one is known. */
  open(lastEventId: string | undefined): Promise<HttpResponse>;
  /** Hears the data of each event. */
  onData(data: string): void;
  readonly maxEventBytes: number;
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Where a stream can be taken up again, and after how long at the least. */
interface Place {
  lastEventId: string | undefined;
  retryMs: number | undefined;
}

/**
 * Reads what a server sends of its own accord, until the signal aborts. A stream that ends or breaks
 * off is opened anew, after the last event that came and with growing delays while none comes; a
 * server that refuses it (405, and every other 4xx but 429) is left alone. Never rejects.
 */
export async function keepListening(options: KeepListeningOptions): Promise<void> {
  const { clock, signal } = options;
  const place: Place = { lastEventId: undefined, retryMs: undefined };
  let failures = 0;
  while (!signal.aborted) {
    const outcome = await listenOnce(options, place);
    if (outcome === "refused") {
      return;
    }
    failures = outcome === "heard" ? 0 : failures + 1;
    await sleep(clock, reconnectDelayMs(failures, place.retryMs), signal).catch(() => {});
  }
}

/** Opens the stream once and reads it to its end. */
async function listenOnce(
  options: KeepListeningOptions,
  place: Place,
): Promise<"refused" | "heard" | "silent"> {
  let outcome: "heard" | "silent" = "silent";
  try {
    const response = await options.open(place.lastEventId);
    const { status } = response;
    if (status !== 200 || !isEventStream(response)) {
      await beginningOf(response);
      return status === 429 || status >= 500 ? "silent" : "refused";
    }
    const { maxEventBytes } = options;
    for await (const batch of readServerSentEvents(response.body, { maxEventBytes })) {
      outcome = "heard";
      for (const { data, id, retryMs } of batch) {
        place.lastEventId = id ?? place.lastEventId;
        place.retryMs = retryMs ?? place.retryMs;
        options.onData(data);
      }
    }
  } catch {
    // The server is away for a while: a request of ours would fail by itself.
  }
  return outcome;
}
