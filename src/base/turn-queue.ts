/** Lets work for one key be done one after another, within this process. */
export class TurnQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does `work` once all earlier work for the key has ended, however it has. */
  async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => {});
    this.#last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === settled) {
        this.#last.delete(key);
      }
    }
  }
}
