import type { AgUiEvent } from "./ag-ui-event.ts";

/**
 * What an application takes out of a stream before it is sent or stored: it gives the event with fewer
 * or other fields, or `undefined` to leave it out. The first and the terminal event are sent in any
 * case. Whoever leaves out the start of something leaves out what belongs to it, too.
 */
export type EventFilter = (event: AgUiEvent) => AgUiEvent | undefined;

/** The event after the filter; `undefined` where it is left out. */
export function filtered(event: AgUiEvent, filter: EventFilter | undefined): AgUiEvent | undefined {
  const given = filter === undefined ? event : filter(event);
  return given ?? bare(event);
}

/** What a client must get to know that the run began and ended. */
function bare(event: AgUiEvent): AgUiEvent | undefined {
  switch (event.type) {
    case "RUN_STARTED":
      return event;
    case "RUN_FINISHED": {
      const { type, threadId, runId, outcome } = event;
      return { type, threadId, runId, ...(outcome === undefined ? {} : { outcome }) };
    }
    case "RUN_ERROR":
      return { type: event.type, message: "The run failed." };
    default:
      return undefined;
  }
}
