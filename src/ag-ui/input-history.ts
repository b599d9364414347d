import { SessionError } from "../agent/session-error.ts";
import type {
  MessageRange,
  Session,
  SessionKey,
  SessionPage,
  SessionStore,
  StoredMessage,
} from "../agent/session-store.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../message/message.ts";

/**
 * A client's own history and state as the session of one run: for applications that keep no sessions.
 * What the run adds is kept nowhere, since the client sends it along with the next request.
 */
export class InputHistory implements SessionStore {
  readonly #messages: readonly StoredMessage[];
  #state: JsonObject;

  constructor(messages: readonly Message[], state: JsonObject, time: number) {
    this.#messages = messages.map((message, index) => ({ sequence: index + 1, time, message }));
    this.#state = state;
  }

  async create(): Promise<Session> {
    throw new SessionError("A thread without a store has one session.", {
      code: "session-conflict",
    });
  }

  async get(key: SessionKey): Promise<Session> {
    const { app, id, actor } = key;
    const { length } = this.#messages;
    const times = { createdAt: 0, updatedAt: 0 };
    return {
      app,
      id,
      ...(actor === undefined ? {} : { actor }),
      ...times,
      length,
      state: this.#state,
    };
  }

  async messages(
    _key: SessionKey,
    { after = 0, upTo = this.#messages.length, limit }: MessageRange = {},
  ): Promise<readonly StoredMessage[]> {
    return this.#messages.slice(after, upTo).slice(0, limit);
  }

  async append(_key: SessionKey, messages: readonly Message[]): Promise<number> {
    return this.#messages.length + messages.length;
  }

  async update(key: SessionKey, { state }: { readonly state?: JsonObject }): Promise<Session> {
    this.#state = { ...this.#state, ...state };
    return this.get(key);
  }

  async list(): Promise<SessionPage> {
    return { sessions: [] };
  }

  async delete(): Promise<boolean> {
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It holds nothing open.
  }
}
