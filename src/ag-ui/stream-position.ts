/**
 * Where an event stands in the stream of its run. A stream that is read again gives the same events at
 * the same positions, save that pieces of one text may come joined: hence `length`.
 */
export interface StreamPosition {
  /** The sequence number of the run's event that it was made of. */
  readonly sequence: number;
  /** Which one of those that were made of it, from 0. */
  readonly index: number;
  /** For a piece of text: how long the text is with it, in UTF-16 code units. */
  readonly length?: number;
}

/** The position as the id of a server-sent event. */
export const formatPosition = ({ sequence, index, length }: StreamPosition): string =>
  [sequence, index, ...(length === undefined ? [] : [length])].join(".");

/** What {@link formatPosition} wrote; `undefined` for anything else. */
export function parsePosition(text: string): StreamPosition | undefined {
  const match = /^(\d{1,15})\.(\d{1,9})(?:\.(\d{1,15}))?$/.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sequence, index, length] = match;
  return {
    sequence: Number(sequence),
    index: Number(index),
    ...(length === undefined ? {} : { length: Number(length) }),
  };
}
