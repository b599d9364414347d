import { useEffect, useMemo, useState } from "preact/hooks";
import type { RunEvent } from "../../src/agent/run-event.ts";
import { followRun } from "../wire/follow-run.ts";
import { RunTimeline } from "./run-timeline.ts";

/** What has happened in a run so far. */
export interface RunEvents {
  /** A new array with each change. */
  readonly events: readonly RunEvent[];
  readonly timeline: RunTimeline;
  /** Why no more of them come. */
  readonly error: Error | undefined;
}

/** Follows a run, from its first event on and as long as it is looked at. */
export function useRunEvents(id: string): RunEvents {
  const timeline = useMemo(() => new RunTimeline(), [id]);
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  const [error, setError] = useState<Error | undefined>();
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const taken: RunEvent[] = [];
    let drawing: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      drawing = undefined;
      if (!signal.aborted) {
        setEvents([...taken]);
      }
    };
    const read = async (): Promise<void> => {
      for await (const event of followRun(id, { after: 0, signal })) {
        timeline.take(event);
        taken.push(event);
        drawing ??= setTimeout(draw, 60);
      }
    };
    read().catch((thrown: Error) => !signal.aborted && setError(thrown));
    return () => {
      leaving.abort();
      clearTimeout(drawing);
    };
  }, [id, timeline]);
  return { events, timeline, error };
}
