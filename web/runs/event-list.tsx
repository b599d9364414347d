import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { RunEvent } from "../../src/agent/run-event.ts";
import { Disclosure } from "../pieces/disclosure.tsx";
import { formatDuration } from "../pieces/format.ts";
import { LongText } from "../pieces/long-text.tsx";

/** As many are laid out at once. */
const pageLength = 200;

/** The events of a run as they are. */
export function EventList({ events }: { readonly events: readonly RunEvent[] }): VNode {
  const [kinds, setKinds] = useState("");
  const [length, setLength] = useState(pageLength);
  const start = events[0]?.time ?? 0;
  const wanted = events.filter(({ kind }) => kind.includes(kinds.trim()));
  return (
    <>
      <input
        type="search"
        class="filter"
        placeholder="Filter by kind, such as tool-"
        aria-label="Filter the events"
        value={kinds}
        onInput={(event) => setKinds(event.currentTarget.value)}
      />
      <ol class="events">
        {wanted.slice(0, length).map((event) => (
          <li key={event.sequence}>
            <Disclosure
              summary={
                <>
                  <span class="hint tabular event-time">{formatDuration(event.time - start)}</span>
                  <code>{event.kind}</code>
                  <span class="hint clamp">{gist(event)}</span>
                </>
              }
            >
              {() => <LongText text={JSON.stringify(event, null, 2)} label="The event" />}
            </Disclosure>
          </li>
        ))}
      </ol>
      {wanted.length > length && (
        <p class="earlier">
          <button
            type="button"
            class="small"
            onClick={() => setLength((count) => count + pageLength)}
          >
            {`Show more (${wanted.length - length} left)`}
          </button>
        </p>
      )}
    </>
  );
}

/** A few words of what an event says. */
function gist(event: RunEvent): string {
  switch (event.kind) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-call-delta":
      return event.text.slice(0, 120);
    case "tool-start":
    case "tool-end":
    case "tool-call-start":
      return event.name;
    case "model-start":
    case "model-end":
      return event.model;
    case "notice":
      return event.message;
    case "server-connect":
    case "server-fail":
      return event.server;
    case "run-end":
      return event.status;
    default:
      return "";
  }
}
