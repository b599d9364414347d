import { type Clock, systemClock } from "../base/clock.ts";
import type { CredentialStore } from "../base/credential-store.ts";
import type { JsonObject } from "../base/json.ts";
import { TurnQueue } from "../base/turn-queue.ts";

interface Entry {
  readonly record: JsonObject;
  readonly expiresAtMs: number;
}

/** Keeps records in this process, as long as it lives. */
export class MemoryCredentialStore implements CredentialStore {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #turns = new TurnQueue();

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  async read(key: string): Promise<JsonObject | undefined> {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAtMs > this.#clock.now() ? entry.record : undefined;
  }

  async write(key: string, record: JsonObject, expiresAtMs: number = Infinity): Promise<void> {
    const now = this.#clock.now();
    for (const [other, entry] of this.#entries) {
      if (entry.expiresAtMs <= now) {
        this.#entries.delete(other);
      }
    }
    this.#entries.set(key, { record, expiresAtMs });
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  exclusively<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.inTurn(key, work);
  }
}
