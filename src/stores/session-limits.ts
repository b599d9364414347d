import { SessionError } from "../agent/session-error.ts";
import type {
  AppendOptions,
  MessageRange,
  NewSession,
  SessionFilter,
  SessionKey,
} from "../agent/session-store.ts";
import { textProblem } from "../base/text-problem.ts";

/** What the stores of this folder take at most; anything beyond is `session-invalid`. */
export const sessionLimits = {
  /** Of an application's, session's, actor's or group's id: 1 to 256 UTF-16 units. */
  maxIdLength: 256,
  maxTitleLength: 1_000,
  /** Of a session's state, as JSON in UTF-8: 1 MiB. */
  maxStateBytes: 1_048_576,
  /** Of one message, as JSON in UTF-8: 16 MiB. */
  maxMessageBytes: 16_777_216,
  /** Of a page of sessions. */
  maxPageSize: 1_000,
} as const;

/** @throws SessionError `session-invalid`. */
export function checkKey({ app, id, actor }: SessionKey): void {
  checkId(app, "application's name");
  checkId(id, "session's id");
  checkActor(actor);
}

/** @throws SessionError `session-invalid`. */
export function checkNewSession({ app, id, actor, title }: NewSession): void {
  checkId(app, "application's name");
  checkActor(actor);
  checkTitle(title);
  if (id !== undefined) {
    checkId(id, "session's id");
  }
}

/** @throws SessionError `session-invalid`. */
export function checkTitle(title: string | undefined): void {
  if (title !== undefined) {
    checkText(title, "session's title", sessionLimits.maxTitleLength);
  }
}

/** @throws SessionError `session-invalid`. */
export function checkAppend({ expectedLength, groupId }: AppendOptions): void {
  checkCount(expectedLength, "expected length of a session", 0);
  if (groupId !== undefined) {
    checkId(groupId, "group's id");
  }
}

/** @throws SessionError `session-invalid`. */
export function checkRange({ after, upTo, limit }: MessageRange): void {
  checkCount(after, "sequence number to read after", 0);
  checkCount(upTo, "sequence number to read up to", 0);
  checkCount(limit, "limit of messages", 1);
}

/** @returns the size of a page. @throws SessionError `session-invalid`. */
export function checkFilter({ app, actor, limit = 100 }: SessionFilter): number {
  checkId(app, "application's name");
  checkActor(actor);
  checkCount(limit, "limit of sessions", 1);
  if (limit > sessionLimits.maxPageSize) {
    throw invalid(`A page has at most ${sessionLimits.maxPageSize} sessions, not ${limit}.`);
  }
  return limit;
}

function checkActor(actor: string | undefined): void {
  if (actor !== undefined) {
    checkId(actor, "actor");
  }
}

function checkId(value: string, what: string): void {
  checkText(value, what, sessionLimits.maxIdLength);
  if (value === "") {
    throw invalid(`The ${what} is empty.`);
  }
}

function checkText(value: string, what: string, longest: number): void {
  const problem = textProblem(value, what, longest);
  if (problem !== undefined) {
    throw invalid(problem);
  }
}

function checkCount(value: number | undefined, what: string, least: number): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= least)) {
    throw invalid(`The ${what} is ${value}; it must be a whole number from ${least} on.`);
  }
}

const invalid = (message: string): SessionError =>
  new SessionError(message, { code: "session-invalid" });
