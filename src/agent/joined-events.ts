import { eventMerging, isDelta, type RunEvent } from "./run-event.ts";

/** An event as it is kept: pieces of one text that came one after another are one. */
export interface JoinedEvent {
  /** Has the last piece's sequence number and the whole text. */
  readonly event: RunEvent;
  /** The lengths of the pieces, whose numbers have no gap; absent where there is but one. */
  readonly pieces?: readonly number[];
}

/** Joins pieces of one text, so that a log need not keep each token. */
export function joinEvents(events: readonly RunEvent[]): readonly JoinedEvent[] {
  const groups: RunEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last !== undefined && isNextPiece(last.at(-1), event)) {
      last.push(event);
    } else {
      groups.push([event]);
    }
  }
  return groups.map((group) => {
    const [first, ...more] = group as [RunEvent, ...RunEvent[]]; // none is empty
    return more.length === 0
      ? { event: first }
      : { event: eventMerging.join([first, ...more]), pieces: group.map(lengthOf) };
  });
}

/** What of an event came after a sequence number, for a reader that has seen a part of its pieces. */
export function eventAfter({ event, pieces }: JoinedEvent, after: number): RunEvent {
  const first = event.sequence - (pieces?.length ?? 1) + 1;
  if (pieces === undefined || after < first || !isDelta(event)) {
    return event;
  }
  const seen = pieces.slice(0, after - first + 1).reduce((sum, length) => sum + length, 0);
  return { ...event, text: event.text.slice(seen) };
}

function isNextPiece(last: RunEvent | undefined, event: RunEvent): boolean {
  const key = eventMerging.keyOf(event);
  return (
    last !== undefined &&
    key !== undefined &&
    eventMerging.keyOf(last) === key &&
    last.sequence + 1 === event.sequence
  );
}

const lengthOf = (event: RunEvent): number => (isDelta(event) ? event.text.length : 0);
