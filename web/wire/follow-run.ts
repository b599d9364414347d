import type { RunEvent } from "../../src/agent/run-event.ts";
import { ApiError, ask } from "./api.ts";
import { readEvents } from "./read-events.ts";

/** From where a run is followed, and until when. */
export interface FollowOptions {
  /** The last event that is known, by its sequence number; 0 for none. */
  readonly after: number;
  readonly signal: AbortSignal;
}

const mostTries = 6;

/**
 * The events of a run, also those that are still to come, until it ends; one that waits is waited for. A
 * connection that breaks is sought anew.
 *
 * @throws ApiError; the signal's reason.
 */
export async function* followRun(
  runId: string,
  { after, signal }: FollowOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  let last = after;
  for (let tries = 0; ; tries += 1) {
    try {
      for await (const event of eventsOf(runId, { after: last, signal })) {
        last = event.sequence;
        tries = 0;
        yield event;
      }
      return;
    } catch (thrown) {
      const isRefused = thrown instanceof ApiError && thrown.status > 0;
      if (signal.aborted || isRefused || tries >= mostTries) {
        throw thrown;
      }
      await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** tries));
    }
  }
}

async function* eventsOf(
  runId: string,
  { after, signal }: FollowOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  const path = `/runs/${encodeURIComponent(runId)}/events?after=${after}`;
  const { body } = await ask(path, { headers: { accept: "text/event-stream" }, signal });
  if (body !== null) {
    for await (const { data } of readEvents(body)) {
      yield JSON.parse(data) as RunEvent; // our server's
    }
  }
}
