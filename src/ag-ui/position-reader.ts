import type { AgUiEvent } from "./ag-ui-event.ts";
import type { StreamPosition } from "./stream-position.ts";

/** An event and where it stands; without a position where it is made anew for each reader. */
export interface PositionedEvent {
  readonly event: AgUiEvent;
  readonly position?: StreamPosition;
}

/**
 * Gives events their positions, and leaves out those that a reader has already. Of a text whose pieces
 * come joined this time it leaves out the beginning that the reader has.
 */
export class PositionReader {
  readonly #after: StreamPosition | undefined;
  readonly #lengths = new Map<string, number>();
  #passed: boolean;
  /** The text that the reader has the beginning of. */
  #begun: string | undefined;

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
    if (!this.#passed && this.#isKnown(position)) {
      return [];
    }
    if (!this.#passed) {
      this.#passed = true;
      this.#begun = keyOf(event);
    }
    const known = (this.#after?.length ?? 0) - before;
    const isBegun = this.#begun !== undefined && keyOf(event) === this.#begun && known > 0;
    if (!isBegun || !("delta" in event) || typeof event.delta !== "string") {
      return [{ event, position }];
    }
    const delta = event.delta.slice(known);
    return delta === "" ? [] : [{ event: { ...event, delta } as AgUiEvent, position }]; // a piece stays one
  }

  /** Of a text that comes in larger pieces this time, the last known one is within one that is not. */
  #isKnown(position: StreamPosition): boolean {
    const after = this.#after ?? position; // there is one until it is passed
    const order = position.sequence - after.sequence || position.index - after.index;
    return order < 0 || (order === 0 && (position.length ?? 0) <= (after.length ?? 0));
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
