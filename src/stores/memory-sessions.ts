import type {
  AppendOptions,
  MessageRange,
  NewSession,
  Session,
  SessionChanges,
  SessionFilter,
  SessionKey,
  SessionPage,
  SessionStore,
  StoredMessage,
} from "../agent/session-store.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Message } from "../message/message.ts";
import {
  checkAppend,
  checkFilter,
  checkKey,
  checkNewSession,
  checkRange,
  checkTitle,
} from "./session-limits.ts";
import {
  checkLength,
  encodeMessage,
  encodeState,
  mergeState,
  parseCursor,
  sessionExists,
  sessionNotFound,
  toPage,
  toSession,
  toState,
  toStoredMessage,
} from "./session-record.ts";

/** Options of {@link memorySessions}. */
export interface MemorySessionsOptions {
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** Sessions in this process, as long as it lives: for tests, and for conversations that may be lost. */
export function memorySessions({ clock = systemClock }: MemorySessionsOptions = {}): SessionStore {
  return new MemorySessions(clock);
}

/** As a database has it, so that nobody shares an object with the store. */
interface Entry {
  readonly app: string;
  readonly id: string;
  readonly actor: string | undefined;
  readonly created_at: number;
  readonly messages: {
    readonly sequence: number;
    readonly time: number;
    readonly group_id: string | undefined;
    readonly message: string;
  }[];
  length: number;
  title: string | undefined;
  state: string;
  updated_at: number;
}

class MemorySessions implements SessionStore {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async create(session: NewSession): Promise<Session> {
    checkNewSession(session);
    const { app, id = createId("session"), actor, title, state = {} } = session;
    const text = encodeState(state);
    if (this.#entries.has(placeOf({ app, id }))) {
      throw sessionExists(id);
    }
    const now = this.#clock.now();
    const entry: Entry = {
      app,
      id,
      actor,
      title,
      state: text,
      created_at: now,
      updated_at: now,
      length: 0,
      messages: [],
    };
    this.#entries.set(placeOf(entry), entry);
    return toSession(entry);
  }

  async get(key: SessionKey): Promise<Session | undefined> {
    const entry = this.#find(key);
    return entry === undefined ? undefined : toSession(entry);
  }

  async messages(key: SessionKey, range: MessageRange = {}): Promise<readonly StoredMessage[]> {
    checkRange(range);
    const { after = 0, upTo = Number.POSITIVE_INFINITY, limit } = range;
    const { messages } = this.#demand(key);
    const end = Math.min(upTo, after + (limit ?? messages.length));
    return messages.slice(after, end).map(toStoredMessage);
  }

  async append(
    key: SessionKey,
    messages: readonly Message[],
    options: AppendOptions = {},
  ): Promise<number> {
    checkAppend(options);
    const { expectedLength, groupId } = options;
    const texts = messages.map(encodeMessage);
    const entry = this.#demand(key);
    const known = entry.messages.findLast(
      ({ group_id }) => groupId !== undefined && group_id === groupId,
    );
    if (known !== undefined) {
      return known.sequence;
    }
    checkLength(key, entry.length, expectedLength);
    if (texts.length > 0) {
      const time = this.#touch(entry);
      for (const message of texts) {
        entry.length += 1;
        entry.messages.push({ sequence: entry.length, time, group_id: groupId, message });
      }
    }
    return entry.length;
  }

  async update(key: SessionKey, { title, state }: SessionChanges): Promise<Session> {
    checkTitle(title);
    const entry = this.#demand(key);
    const merged = encodeState(mergeState(toState(entry), state));
    entry.title = title ?? entry.title;
    entry.state = merged;
    this.#touch(entry);
    return toSession(entry);
  }

  async list(filter: SessionFilter): Promise<SessionPage> {
    const size = checkFilter(filter);
    const cursor = parseCursor(filter.after);
    const rows = [...this.#entries.values()]
      .filter(({ app, actor }) => app === filter.app && actor === (filter.actor ?? actor))
      .toSorted(newestFirst)
      .filter(
        ({ id, updated_at }) =>
          cursor === undefined ||
          newestFirst({ id, updated_at }, { id: cursor.id, updated_at: cursor.updatedAt }) > 0,
      );
    return toPage(rows.slice(0, size + 1), size);
  }

  async delete(key: SessionKey): Promise<boolean> {
    const entry = this.#find(key);
    return entry !== undefined && this.#entries.delete(placeOf(entry));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#entries.clear();
  }

  #find(key: SessionKey): Entry | undefined {
    checkKey(key);
    const entry = this.#entries.get(placeOf(key));
    return entry !== undefined && (key.actor === undefined || key.actor === entry.actor)
      ? entry
      : undefined;
  }

  #demand(key: SessionKey): Entry {
    const entry = this.#find(key);
    if (entry === undefined) {
      throw sessionNotFound(key);
    }
    return entry;
  }

  #touch(entry: Entry): number {
    entry.updated_at = Math.max(entry.updated_at, this.#clock.now());
    return entry.updated_at;
  }
}

const placeOf = ({ app, id }: Pick<Entry, "app" | "id">): string => JSON.stringify([app, id]);

type Place = Pick<Entry, "id" | "updated_at">;

function newestFirst(one: Place, other: Place): number {
  if (one.updated_at !== other.updated_at) {
    return other.updated_at - one.updated_at;
  }
  if (one.id === other.id) {
    return 0;
  }
  return one.id < other.id ? 1 : -1;
}
