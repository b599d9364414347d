import type { JsonObject } from "../base/json.ts";
import type { Message } from "../message/message.ts";

/** Which session is meant. */
export interface SessionKey {
  /** The application that the session belongs to: several may share a store. */
  readonly app: string;
  /** Unique within the application. */
  readonly id: string;
  /**
   * Whose session it must be. One of another actor, or of nobody, is then treated as if it were not
   * there. Absent: whoever's, which is for administration only.
   */
  readonly actor?: string;
}

/** A session without what it holds. */
export interface SessionSummary {
  readonly id: string;
  readonly app: string;
  /** Whose it is; never changes. */
  readonly actor?: string;
  /** What a person sees in a list. */
  readonly title?: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** When a message, the state or the title changed last; never goes back. */
  readonly updatedAt: number;
  /** The number of messages, which is the sequence number of the last one. */
  readonly length: number;
}

/** A conversation across runs. Its messages are read by {@link SessionStore.messages}. */
export interface Session extends SessionSummary {
  /** What the application and its tools keep with the conversation. Plain JSON, no credential. */
  readonly state: JsonObject;
}

/** What a session is created with. */
export interface NewSession {
  readonly app: string;
  /** Default: a random one. */
  readonly id?: string;
  readonly actor?: string;
  readonly title?: string;
  readonly state?: JsonObject;
}

/** What may be changed of a session besides its messages. */
export interface SessionChanges {
  readonly title?: string;
  /**
   * Keys of the state to set; one whose value is `undefined` is removed, one that is not named stays.
   * Hence two who set different keys at once do not harm each other; of two who set the same key, the
   * last wins.
   */
  readonly state?: JsonObject;
}

/** A message as it was said. */
export interface StoredMessage {
  /** 1 for the session's first message, then one more for each, without gaps. */
  readonly sequence: number;
  /** When it was appended, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** The group that it was appended with. */
  readonly groupId?: string;
  readonly message: Message;
}

/** Which messages to read; absent: all. */
export interface MessageRange {
  /** Those with a greater sequence number only. */
  readonly after?: number;
  /** Those up to this sequence number, included. */
  readonly upTo?: number;
  /** The first so many of those. */
  readonly limit?: number;
}

/** On what condition a group is appended. */
export interface AppendOptions {
  /** The length that the session must have, else `session-conflict`. */
  readonly expectedLength?: number;
  /**
   * Names the group within its session, so that it can be sent again when nobody knows whether it
   * arrived: a group that the session has already is not appended again.
   */
  readonly groupId?: string;
}

/** Which sessions to list. */
export interface SessionFilter {
  readonly app: string;
  /** Absent: everybody's. */
  readonly actor?: string;
  /** How many at most: 1 to 1000, default 100. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

/** Some of the sessions that were asked for. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Where the next page begins; absent on the last. Opaque. */
  readonly next?: string;
}

/**
 * Keeps sessions: conversations that outlive their runs. Adapters are in `dragoman/stores`.
 *
 * - **Append-only.** What was said is kept as it was said; nothing changes or removes a message, save
 *   the deletion of its session. Hence `messages` up to a known length always gives the same.
 * - **Atomic groups.** `append` stores all of its messages, one after another without a gap, or none.
 *   Any number of runs and processes may append to one session at once and none loses a message; the
 *   groups stand in the order in which they were committed.
 * - **Durable.** Where a store outlives its process, what it has acknowledged (the promise is
 *   fulfilled) survives `kill -9` of every process that takes part.
 * - **Private.** A key or filter with an actor reaches that actor's sessions and no others.
 *
 * All methods reject with `SessionError`; those that take a key, and are not said to do otherwise, with
 * `session-not-found`. A store may limit sizes, and then says `session-invalid`. Whoever makes a store
 * disposes of it; runs do not.
 */
export interface SessionStore extends AsyncDisposable {
  /** @throws SessionError `session-conflict` where the application has a session of that id, whoever's. */
  create(session: NewSession): Promise<Session>;
  /** @returns `undefined` where there is none. */
  get(key: SessionKey): Promise<Session | undefined>;
  /** Messages in the order of their sequence numbers, as they were at one moment. */
  messages(key: SessionKey, range?: MessageRange): Promise<readonly StoredMessage[]>;
  /**
   * Appends a group.
   *
   * @returns the session's length just after the group; for a group that was there already, the same
   *   as the first time.
   * @throws SessionError `session-conflict` where `expectedLength` is not met.
   */
  append(key: SessionKey, messages: readonly Message[], options?: AppendOptions): Promise<number>;
  /** Changes title or state. @returns the session after it. */
  update(key: SessionKey, changes: SessionChanges): Promise<Session>;
  /** Sessions, the last changed first. One that changes meanwhile may move past the page. */
  list(filter: SessionFilter): Promise<SessionPage>;
  /**
   * Removes a session and all that this store has of it; `eraseSession` of `dragoman/stores` its runs and
   * artifacts, too.
   *
   * @returns whether there was one.
   */
  delete(key: SessionKey): Promise<boolean>;
}
