import type { StepRecord } from "./run-store.ts";

/**
 * Steps that changed nothing in the world: a server that cannot be opened any more, or joins at another
 * time; questions about a call whose result is known.
 */
const mayBeMissed = /^(?:open:|join#|approval:|expiry#|wait:|input#)/;

/** The recorded steps of one run, and where new ones are written. */
export class RunJournal {
  readonly #records = new Map<string, StepRecord>();
  /** Recorded steps that this execution has not come to yet. */
  readonly #ahead = new Set<string>();
  readonly #write: (record: StepRecord) => Promise<void> | undefined;

  /**
   * @param records what an earlier execution has recorded.
   * @param write keeps a record; a step is not done before it is kept. It may give nothing where the
   *   run is not kept while it goes on.
   */
  constructor(
    records: readonly StepRecord[],
    write: (record: StepRecord) => Promise<void> | undefined,
  ) {
    for (const record of records) {
      this.#records.set(record.key, record);
      this.#ahead.add(record.key);
    }
    this.#write = write;
  }

  /** All records, the earliest first; of a run that is kept elsewhere, those of earlier executions only. */
  get records(): readonly StepRecord[] {
    return [...this.#records.values()];
  }

  /** What is recorded of a step that the execution has come to. */
  reach(key: string): StepRecord | undefined {
    this.#ahead.delete(key);
    return this.#records.get(key);
  }

  has(key: string): boolean {
    return this.#records.has(key);
  }

  /** A recorded step of the participant that it should have taken before a new one; `undefined` for none. */
  missed(path: string): string | undefined {
    for (const key of this.#ahead) {
      const name = key.startsWith(path) ? key.slice(path.length) : "/";
      if (!name.includes("/") && !mayBeMissed.test(name)) {
        return key;
      }
    }
    return undefined;
  }

  async add(record: StepRecord): Promise<void> {
    const writing = this.#write(record);
    if (writing === undefined) {
      this.#records.set(record.key, record);
    } else {
      // Not here as well: a long run gives much, and comes to none of its own steps twice.
      await writing;
    }
  }
}
