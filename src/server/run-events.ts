import { eventStream, type SentEvent } from "../ag-ui/event-stream.ts";
import { invalidInput } from "../ag-ui/refusal.ts";
import { type FollowOptions, followRun } from "../agent/follow-run.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { RunKey, RunRecord, RunStore } from "../agent/run-store.ts";
import { wholeEvent } from "../agent/whole-event.ts";
import type { FoundRun } from "./found-run.ts";
import { countIn } from "./page-query.ts";
import type { ServerScope } from "./server-scope.ts";

const heartbeatMs = 15_000;
const defaultPage = 500;

/**
 * Events of a run after a sequence number: what there is, as JSON; or, for whoever accepts
 * `text/event-stream`, all until the run has ended, also those that are still to come. The id of an
 * event in the stream is its sequence number, so that `Last-Event-ID` reads on.
 *
 * @throws Refusal 400.
 */
export async function runEvents(
  request: Request,
  { place, record }: FoundRun,
  { clock }: ServerScope,
): Promise<Response> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const { runs, runtime } = place;
  const artifacts = runtime.artifacts?.store;
  const { app, id } = record;
  const after = lastEventOf(request) ?? countIn(query, "after", 0) ?? 0;
  if (!/\btext\/event-stream\b/i.test(request.headers.get("accept") ?? "")) {
    const limit = countIn(query, "limit", 1) ?? defaultPage;
    const kept = await runs.events({ app, id }, { after, limit });
    const events = await Promise.all(
      kept.map((event) =>
        artifacts === undefined ? event : wholeEvent(event, { app, ...actorOf(record), artifacts }),
      ),
    );
    return Response.json({ events }, { headers: { "cache-control": "no-store" } });
  }
  const leaving = new AbortController();
  const events = sent(runs, { app, id }, { after, signal: leaving.signal, artifacts });
  const onEnd = (): void => leaving.abort();
  const body = eventStream(events, { clock, heartbeatMs, signal: request.signal, onEnd });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

function lastEventOf({ headers }: Request): number | undefined {
  const text = headers.get("last-event-id");
  if (text !== null && !/^\d{1,15}$/.test(text)) {
    throw invalidInput("Last-Event-ID is not one that this server has sent.");
  }
  return text === null ? undefined : Number(text);
}

async function* sent(
  runs: RunStore,
  key: RunKey,
  options: FollowOptions,
): AsyncGenerator<SentEvent<RunEvent>, void, undefined> {
  for await (const event of followRun(runs, key, options)) {
    yield { event, id: String(event.sequence) };
  }
}

const actorOf = ({ actor }: RunRecord): { readonly actor?: string } =>
  actor === undefined ? {} : { actor };
