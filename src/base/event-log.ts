/** How an {@link EventLog} joins the small pieces of one growing text. */
export interface Merging<Item> {
  /** What the item belongs to, where it is such a piece; pieces of one key may be joined. */
  keyOf(item: Item): string | undefined;
  /** One item that says all that consecutive pieces of one key said. */
  join(items: readonly [Item, ...Item[]]): Item;
}

/** Items that can be joined, or one that stands alone. */
interface Entry<Item> {
  readonly key: string | undefined;
  pieces: Item[];
}

/**
 * An append-only list with any number of readers, each of which gets everything from the first item
 * on, at its own pace.
 *
 * Consecutive pieces of one text are kept as one entry, and a reader that comes late to it gets what
 * it has missed as a single item: no queue grows for a slow reader, and each item is stored once.
 */
export class EventLog<Item> implements AsyncIterable<Item> {
  readonly #merging: Merging<Item>;
  readonly #entries: Entry<Item>[] = [];
  #closed = false;
  #wake: (() => void) | undefined;
  #changed: Promise<void> | undefined;

  constructor(merging: Merging<Item>) {
    this.#merging = merging;
  }

  /** Adds an item and wakes the readers. After {@link close} it does nothing. */
  append(item: Item): void {
    if (this.#closed) {
      return;
    }
    const key = this.#merging.keyOf(item);
    const last = this.#entries.at(-1);
    if (key !== undefined && last?.key === key) {
      last.pieces.push(item);
    } else {
      this.#entries.push({ key, pieces: [item] });
    }
    this.#notify();
  }

  /** Ends the log: readers finish once they have read what is there. */
  close(): void {
    this.#closed = true;
    this.#notify();
  }

  /** A new reader, from the first item. Leaving its loop ends that reader only. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let index = 0;
    let read = 0;
    while (true) {
      const entry = this.#entries[index];
      const [first, ...rest] = entry?.pieces.slice(read) ?? [];
      if (first !== undefined) {
        read += 1 + rest.length;
        yield rest.length === 0 ? first : this.#merging.join([first, ...rest]);
      } else if (index + 1 < this.#entries.length) {
        index += 1;
        read = 0;
      } else if (this.#closed) {
        return;
      } else {
        await this.#change();
      }
    }
  }

  #change(): Promise<void> {
    this.#changed ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#changed;
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
    this.#changed = undefined;
  }
}
