import { SessionError } from "../agent/session-error.ts";
import type {
  Session,
  SessionKey,
  SessionPage,
  SessionSummary,
  StoredMessage,
} from "../agent/session-store.ts";
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { fromCursor, type PagePlace, toCursor } from "../base/page-place.ts";
import type { Message } from "../message/message.ts";
import { sessionLimits } from "./session-limits.ts";
import type { StoreKind } from "./store-kind.ts";

/** Databases that sessions are kept in. */
export const sessionKind: StoreKind = {
  what: "sessions",
  ifUnknown: "read it again, or send groups with a groupId",
  error: (message, options) => new SessionError(message, options),
};

/** A session as a store's row has it, whatever types its driver gives. */
export interface SessionRow {
  readonly app?: unknown;
  readonly id?: unknown;
  readonly actor?: unknown;
  readonly title?: unknown;
  /** JSON text. */
  readonly state?: unknown;
  readonly length?: unknown;
  readonly created_at?: unknown;
  readonly updated_at?: unknown;
}

/** A message as a store's row has it. */
export interface MessageRow {
  readonly sequence?: unknown;
  readonly time?: unknown;
  readonly group_id?: unknown;
  /** JSON text. */
  readonly message?: unknown;
}

/** The JSON text of a state. @throws SessionError `session-invalid` where it is none, or too large. */
export function encodeState(state: JsonObject): string {
  return encode(state, "session's state", sessionLimits.maxStateBytes);
}

/** The JSON text of a message. @throws SessionError `session-invalid` where it is too large. */
export function encodeMessage(message: Message): string {
  return encode(message, "message", sessionLimits.maxMessageBytes);
}

/** The state after some of its keys were set; `undefined` removes one. */
export function mergeState(state: JsonObject, changes: JsonObject = {}): JsonObject {
  const merged = Object.entries({ ...state, ...changes });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** @throws SessionError `store-corrupt`. */
export function toState(row: SessionRow): JsonObject {
  const state = parseJson(String(row.state));
  if (!isJsonObject(state)) {
    throw corrupt(`The state of session ${JSON.stringify(row.id)} is not what was stored.`);
  }
  return state;
}

/** @throws SessionError `store-corrupt`. */
export function toSession(row: SessionRow): Session {
  return { ...toSummary(row), state: toState(row) };
}

/** A row without what the session holds. */
function toSummary(row: SessionRow): SessionSummary {
  const { actor, title } = row;
  return {
    id: String(row.id),
    app: String(row.app),
    ...(typeof actor === "string" ? { actor } : {}),
    ...(typeof title === "string" ? { title } : {}),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    length: Number(row.length),
  };
}

/** @throws SessionError `store-corrupt` where the row does not hold a message. */
export function toStoredMessage(row: MessageRow): StoredMessage {
  const message = parseJson(String(row.message));
  if (!isMessage(message)) {
    throw corrupt(`Message ${row.sequence} of a session is not what was stored.`);
  }
  const { group_id: groupId } = row;
  return {
    sequence: Number(row.sequence),
    time: Number(row.time),
    ...(typeof groupId === "string" ? { groupId } : {}),
    message,
  };
}

/** A page of rows, of which one more than the page's size was asked for. */
export function toPage(rows: readonly SessionRow[], size: number): SessionPage {
  const sessions = rows.slice(0, size).map(toSummary);
  const last = sessions.at(-1);
  return rows.length > size && last !== undefined
    ? { sessions, next: toCursor(last) }
    : { sessions };
}

/** Where a page begins: behind this session. @throws SessionError `session-invalid`. */
export function parseCursor(after: string | undefined): PagePlace | undefined {
  const place = after === undefined ? undefined : fromCursor(after);
  if (after !== undefined && place === undefined) {
    throw new SessionError('"after" is not the "next" of a page of sessions.', {
      code: "session-invalid",
    });
  }
  return place;
}

/** The error for a session that is not there, for whoever asks. */
export function sessionNotFound({ id }: SessionKey): SessionError {
  return new SessionError(`There is no session ${JSON.stringify(id)}.`, {
    code: "session-not-found",
  });
}

/** The error for an id that is taken. */
export function sessionExists(id: string): SessionError {
  return new SessionError(
    `The application has a session ${JSON.stringify(id)} already. Choose another id.`,
    { code: "session-conflict" },
  );
}

/** @throws SessionError `session-conflict` where a session has not the length that was expected. */
export function checkLength(
  { id }: SessionKey,
  length: number,
  expectedLength: number | undefined,
): void {
  if (expectedLength !== undefined && expectedLength !== length) {
    throw new SessionError(
      `Session ${JSON.stringify(id)} has ${length} messages, not ${expectedLength}: somebody has appended meanwhile. Read it again.`,
      { code: "session-conflict" },
    );
  }
}

const utf8 = new TextEncoder();

function encode(value: JsonObject | Message, what: string, maxBytes: number): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new SessionError(`The ${what} cannot be written as JSON.`, {
      code: "session-invalid",
      cause,
    });
  }
  // A UTF-16 unit is at most three bytes, so that short texts need not be measured.
  const size = text.length * 3 > maxBytes ? utf8.encode(text).length : 0;
  if (size > maxBytes) {
    throw new SessionError(
      `The ${what} is ${size} bytes long; ${maxBytes} are allowed. Keep large data elsewhere and store where it is.`,
      { code: "session-invalid" },
    );
  }
  return text;
}

const roles = ["system", "user", "assistant", "tool"];

/** Whether it has a message's outline; what a part holds is trusted, since we have written it. */
function isMessage(value: unknown): value is Message {
  if (!isJsonObject(value) || typeof value["role"] !== "string" || !roles.includes(value["role"])) {
    return false;
  }
  return value["role"] === "system"
    ? typeof value["text"] === "string"
    : Array.isArray(value["content"]) && value["content"].every(isJsonObject);
}

const corrupt = (message: string): SessionError =>
  new SessionError(message, { code: "store-corrupt" });
