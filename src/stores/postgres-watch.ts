import type { RunBells } from "../agent/run-bells.ts";
import type { Clock } from "../base/clock.ts";
import { parseJson } from "../base/json.ts";
import type { PostgresDatabase } from "./postgres-database.ts";

/** The channel that all our stores of runs speak on; a message says which schema it is about. */
export const runChannel = "dragoman_runs";

/** Which run has changed, as it is said on the channel. */
export const runMessage = (schema: string, app: string, id: string): string =>
  JSON.stringify([schema, app, id]);

/**
 * How often readers look by themselves, in milliseconds: what is said on the channel does not come
 * through every pooler of connections.
 */
const lookMs = 2_000;

/** Hears what other processes change of runs, while somebody wants to know. */
export class PostgresWatch {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  readonly #bells: RunBells;
  #interested = 0;
  /** Another one with each end of interest. */
  #round = 0;
  #hush: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(database: PostgresDatabase, clock: Clock, bells: RunBells) {
    this.#database = database;
    this.#clock = clock;
    this.#bells = bells;
  }

  /** Begins to listen; resolves when it does, or cannot now and looks from time to time instead. */
  async enter(): Promise<() => void> {
    this.#interested += 1;
    if (this.#interested === 1) {
      this.#schedule();
      await this.#listen();
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
    this.#hush?.();
    this.#hush = undefined;
  }

  async #listen(): Promise<void> {
    const round = this.#round;
    const onEnd = (): void => {
      this.#hush = undefined;
    };
    try {
      const hush = await this.#database.listen(runChannel, (text) => this.#hear(text), onEnd);
      if (round === this.#round) {
        this.#hush = hush;
      } else {
        hush();
      }
    } catch {
      // The next look tries again, and readers meet the failure by themselves.
    }
  }

  #schedule(): void {
    const round = this.#round;
    const look = async (): Promise<void> => {
      if (this.#hush === undefined) {
        await this.#listen();
      }
      if (round === this.#round) {
        this.#bells.ringAll();
        this.#schedule();
      }
    };
    this.#stopTimer = this.#clock.startTimer(() => void look(), lookMs);
  }

  #hear(text: string): void {
    const message = parseJson(text);
    const [schema, app, id] = Array.isArray(message) ? message : [];
    if (schema === this.#database.schema && typeof app === "string" && typeof id === "string") {
      this.#bells.ring({ app, id });
    }
  }
}
