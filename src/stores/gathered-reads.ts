/** Somebody who waits for an answer. */
interface Waiting<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/**
 * Reads that are made together: while one is under way, what is asked is gathered for the next. So many
 * who ask at once cost a few queries, and each is answered by a query that began after they had asked.
 */
export class GatheredReads<Request, Answer> {
  readonly #perform: (requests: readonly Request[]) => Promise<readonly Answer[]>;
  readonly #most: number;
  #waiting: Waiting<Request, Answer>[] = [];
  #isBusy = false;

  /**
   * @param perform gives an answer for each request, in their order. One that it rejects with is for all.
   * @param most how many requests are made together.
   */
  constructor(perform: (requests: readonly Request[]) => Promise<readonly Answer[]>, most: number) {
    this.#perform = perform;
    this.#most = most;
  }

  /** @throws what the query throws. */
  read(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (!this.#isBusy) {
        this.#isBusy = true;
        void this.#work();
      }
    });
  }

  async #work(): Promise<void> {
    await Promise.resolve(); // those who ask at the same time come along
    while (this.#waiting.length > 0) {
      await this.#answer(this.#waiting.splice(0, this.#most));
    }
    this.#isBusy = false;
  }

  async #answer(asked: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const answers = await this.#perform(asked.map(({ request }) => request));
      for (const [index, { resolve }] of asked.entries()) {
        resolve(answers[index] as Answer); // one for each
      }
    } catch (reason) {
      for (const { reject } of asked) {
        reject(reason);
      }
    }
  }
}
