import type { AgUiEvent } from "./ag-ui-event.ts";
import type { PositionedEvent } from "./positioned-events.ts";
import type { StreamPosition } from "./stream-position.ts";

/**
 * Gives events their positions, and leaves out those that a reader has already. Of a text whose pieces
 * come joined this time it leaves out the beginning that the reader has.
 */
export class PositionReader {
  readonly #after: StreamPosition | undefined;
  readonly #lengths = new Map<string, number>();
  /** Whether the reader's last event was met as it was. */
  #met = false;
  #passed: boolean;

  constructor(after: StreamPosition | undefined) {
    this.#after = after;
    this.#passed = after === undefined;
  }

  take(events: readonly AgUiEvent[], sequence: number): readonly PositionedEvent[] {
    return events.flatMap((event, index) => this.#take(event, { sequence, index }));
  }

  #take(event: AgUiEvent, place: StreamPosition): readonly PositionedEvent[] {
    const before = this.#lengthOf(event);
    const position = this.#measured(event, place, before);
    if (this.#passed) {
      return [{ event, position }];
    }
    const after = this.#after ?? position; // there is one until it is passed
    const order = place.sequence - after.sequence || place.index - after.index;
    if (order <= 0) {
      this.#met = order === 0;
      return [];
    }
    this.#passed = true;
    const known = this.#met ? 0 : Math.max(0, (after.length ?? 0) - before);
    if (known === 0 || !("delta" in event) || typeof event.delta !== "string") {
      return [{ event, position }];
    }
    const delta = event.delta.slice(known);
    return delta === "" ? [] : [{ event: { ...event, delta } as AgUiEvent, position }]; // a piece stays one
  }

  #lengthOf(event: AgUiEvent): number {
    return this.#lengths.get(keyOf(event) ?? "") ?? 0;
  }

  #measured(event: AgUiEvent, place: StreamPosition, before: number): StreamPosition {
    const key = keyOf(event);
    if (key === undefined || !("delta" in event)) {
      return place;
    }
    const length = before + event.delta.length;
    this.#lengths.set(key, length);
    return { ...place, length };
  }
}

/** What a piece of text belongs to. */
function keyOf(event: AgUiEvent): string | undefined {
  switch (event.type) {
    case "TEXT_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_CONTENT":
      return `${event.type} ${event.messageId}`;
    case "TOOL_CALL_ARGS":
      return `${event.type} ${event.toolCallId}`;
    default:
      return undefined;
  }
}
