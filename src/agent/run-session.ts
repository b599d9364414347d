import type { Clock } from "../base/clock.ts";
import { toJson } from "../base/json.ts";
import { type Message, textOf } from "../message/message.ts";
import type { BoundSession } from "../tool/binding.ts";
import { repairHistory } from "./repair-history.ts";
import type { RunEventBody } from "./run-event.ts";
import type { RunInput } from "./run-input.ts";
import { atTheEnd, whileRunning } from "./run-patience.ts";
import { SessionError } from "./session-error.ts";
import { type SessionMedia, withoutMissing } from "./session-media.ts";
import type { Session, SessionKey, SessionStore } from "./session-store.ts";
import type { Steps } from "./steps.ts";
import { type TracedScope, traced } from "./traced.ts";

/** Which session a run goes on with. */
export interface RunSessionOptions {
  readonly store: SessionStore;
  readonly app: string;
  readonly id: string;
  readonly actor: string | undefined;
  readonly runId: string;
  readonly clock: Clock;
  /** Where large media of its messages are kept; `undefined` where artifacts have no store. */
  readonly media: SessionMedia | undefined;
  /** The run's: while it goes on, the store is not waited for any longer. */
  readonly signal: AbortSignal;
}

const longestTitle = 80;

/** The session of one run: read before the loop, written after it. */
export class RunSession {
  readonly #options: RunSessionOptions;
  readonly #key: SessionKey;
  readonly #history = new Set<Message>();

  constructor(options: RunSessionOptions) {
    this.#options = options;
    const { app, id, actor } = options;
    this.#key = { app, id, ...(actor === undefined ? {} : { actor }) };
  }

  /** What callbacks and tools get. */
  get bound(): BoundSession {
    const { store, signal } = this.#options;
    return {
      id: this.#key.id,
      getState: async (key) => {
        const state = (await whileRunning(signal, () => store.get(this.#key)))?.state ?? {};
        return Object.hasOwn(state, key) ? state[key] : undefined;
      },
      setState: async (key, value) => {
        const state = { [key]: value === undefined ? undefined : toJson(value) };
        await whileRunning(signal, () => store.update(this.#key, { state }));
      },
    };
  }

  /**
   * The history, repaired; creates the session where it is not there. Only the length is a step's
   * value: since sessions are append-only, a replay reads the same messages.
   *
   * @throws SessionError `session-conflict` where the id is taken by somebody else's session; the
   *   signal's reason.
   */
  load(steps: Steps, input: RunInput, scope: TracedScope): Promise<readonly Message[]> {
    return traced(
      scope,
      () => ({ kind: "session", action: "load" }),
      async (span) => {
        const { signal } = this.#options;
        const history = await whileRunning(signal, () => this.#load(steps, input));
        span?.set({ count: history.length });
        return history;
      },
    );
  }

  async #load(steps: Steps, input: RunInput): Promise<readonly Message[]> {
    const open = async (): Promise<{ readonly length: number }> => {
      const { length } = await this.#open(titleOf(input));
      return { length };
    };
    const { length } = await steps.run("session:load", open, { idempotent: true });
    const range = { upTo: length };
    const stored = length === 0 ? [] : await this.#options.store.messages(this.#key, range);
    const history = repairHistory(await this.#whole(stored.map(({ message }) => message)));
    for (const message of history) {
      this.#history.add(message);
    }
    return history;
  }

  /**
   * Appends what the run has added to the conversation, as one group that is named for the run, so
   * that it is there once however often it is sent. Instructions are not stored. No signal stops it,
   * but it is given up after a while: see `runPatience`.
   *
   * @returns the event to publish; `undefined` where nothing was said.
   */
  async save(messages: readonly Message[], scope: TracedScope): Promise<RunEventBody | undefined> {
    const said = messages.filter(
      (message) => message.role !== "system" && !this.#history.has(message),
    );
    if (said.length === 0) {
      return undefined;
    }
    const { store, runId, clock, media } = this.#options;
    const length = await traced(
      scope,
      () => ({ kind: "session", action: "save" }),
      (span) => {
        span?.set({ count: said.length });
        const written = media === undefined ? Promise.resolve(said) : media.takeOut(said);
        const appending = written.then((all) => store.append(this.#key, all, { groupId: runId }));
        return atTheEnd(appending, { signal: scope.signal, clock }, (afterMs) => {
          const message = `The session store did not answer within ${afterMs} ms.`;
          return new SessionError(message, { code: "store-unavailable" });
        });
      },
    );
    return { kind: "session-save", session: this.#key.id, messages: said.length, length };
  }

  async #whole(messages: readonly Message[]): Promise<readonly Message[]> {
    const { media, signal } = this.#options;
    return media === undefined ? messages.map(withoutMissing) : media.putBack(messages, signal);
  }

  async #open(title: string): Promise<Session> {
    const found = await this.#find();
    if (found !== undefined) {
      return found;
    }
    try {
      return await this.#options.store.create({
        ...this.#key,
        ...(title === "" ? {} : { title }),
      });
    } catch (thrown) {
      // Another run may have created it in between.
      const created = hasCode(thrown, "session-conflict") ? await this.#find() : undefined;
      if (created === undefined) {
        throw thrown;
      }
      return created;
    }
  }

  async #find(): Promise<Session | undefined> {
    const { store, actor } = this.#options;
    const found = await store.get(this.#key);
    if (found !== undefined && found.actor !== actor) {
      throw new SessionError(
        `Session ${JSON.stringify(found.id)} belongs to an actor. Give the run its actor, or another session.`,
        { code: "session-conflict" },
      );
    }
    return found;
  }
}

const hasCode = (thrown: unknown, code: string): boolean =>
  SessionError.is(thrown) && thrown.code === code;

/** The beginning of what was asked, on one line. */
function titleOf(input: RunInput): string {
  const text = typeof input === "string" ? input : textOf(input);
  const line = text
    .slice(0, 10 * longestTitle)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const signs = [...line.toWellFormed()];
  return signs.length > longestTitle ? `${signs.slice(0, longestTitle - 1).join("")}…` : line;
}
