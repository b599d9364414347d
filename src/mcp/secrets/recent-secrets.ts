/** What is remembered: as much as requests that are under way at once are likely to have. */
const most = 64;

/** Credentials that change from request to request, so that none is told that was sent lately. */
export class RecentSecrets {
  readonly #values = new Set<string>();

  /** Those that were sent last. */
  get all(): readonly string[] {
    return [...this.#values];
  }

  add(value: string): void {
    if (this.#values.has(value)) {
      return;
    }
    this.#values.add(value);
    const [oldest] = this.#values;
    if (oldest !== undefined && this.#values.size > most) {
      this.#values.delete(oldest);
    }
  }
}
