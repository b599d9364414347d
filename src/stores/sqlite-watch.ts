import type { Clock } from "../base/clock.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** How often to look whether another process has written, in milliseconds. */
const intervalMs = 100;

/**
 * Notices what other connections write to a database: SQLite tells nobody, but counts it. It looks only
 * while somebody wants to know.
 */
export class SqliteWatch {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #interested = 0;
  #version: number | undefined;
  #stopTimer: (() => void) | undefined;
  /** Another one with each end, so that a look that is under way then is the last. */
  #round = 0;

  /** @param onChange also called where the database fails, so that readers meet the failure. */
  constructor(database: SqliteDatabase, clock: Clock, onChange: () => void) {
    this.#database = database;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Begins to look. @returns what ends it. */
  enter(): () => void {
    this.#interested += 1;
    if (this.#interested === 1) {
      this.#version = undefined;
      this.#schedule();
    }
    return () => {
      this.#interested -= 1;
      if (this.#interested === 0) {
        this.stop();
      }
    };
  }

  stop(): void {
    this.#round += 1;
    this.#stopTimer?.();
  }

  #schedule(): void {
    const round = this.#round;
    const again = (): void => {
      if (round === this.#round) {
        this.#schedule();
      }
    };
    this.#stopTimer = this.#clock.startTimer(() => void this.#look().then(again), intervalMs);
  }

  async #look(): Promise<void> {
    try {
      const version = await this.#database.version();
      // Before the first look nobody knows what was missed.
      if (version !== this.#version) {
        this.#version = version;
        this.#onChange();
      }
    } catch {
      this.#onChange();
    }
  }
}
