/** Where something stands in a list in which the last changed comes first. */
export interface PagePlace {
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  readonly id: string;
}

/** A place as the `next` of a page, which whoever gets it does not look into. */
export const toCursor = ({ updatedAt, id }: PagePlace): string => `${updatedAt} ${id}`;

/** The place that such a `next` stands for; `undefined` where it is none. */
export function fromCursor(cursor: string): PagePlace | undefined {
  const [, time, id] = /^(\d{1,15}) (.+)$/su.exec(cursor) ?? [];
  return time === undefined || id === undefined ? undefined : { updatedAt: Number(time), id };
}
