import { expect, test } from "vitest";
import { SessionError } from "../agent/session-error.ts";
import { isPassing, toPostgresError } from "./postgres-error.ts";
import { sessionKind } from "./session-record.ts";

const failure = (code: string | undefined, message = "said the server"): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

/** SQLSTATE or the system's code, ours, and whether it is tried again. */
const cases: readonly (readonly [string, Error, string, boolean])[] = [
  ["a lost connection", failure("08006"), "store-unavailable", true],
  ["a server that shuts down", failure("57P01"), "store-unavailable", true],
  ["a server that recovers", failure("57P03"), "store-unavailable", true],
  ["too many connections", failure("53300"), "store-unavailable", true],
  ["a refused connection", failure("ECONNREFUSED"), "store-unavailable", true],
  ["a broken pipe", failure("EPIPE"), "store-unavailable", true],
  ["a client that died", failure(undefined, "Connection terminated"), "store-unavailable", true],
  ["no answer", failure(undefined, "Query read timeout"), "store-unavailable", true],
  ["a serialisation failure", failure("40001"), "store-locked", true],
  ["a deadlock", failure("40P01"), "store-locked", true],
  ["a lock that is not available", failure("55P03"), "store-locked", false],
  ["a full disk", failure("53100"), "store-full", false],
  ["damaged pages", failure("XX001"), "store-corrupt", false],
  ["a table that is gone", failure("42P01"), "store-corrupt", false],
  ["a wrong password", failure("28P01"), "store-unavailable", false],
  ["a missing right", failure("42501"), "store-unavailable", false],
  ["a statement that took too long", failure("57014"), "store-unavailable", false],
  ["a pool that was ended", failure(undefined, "Cannot use it"), "store-unavailable", false],
];

test.each(cases)(
  "%s has our code, its cause, and is tried again or not",
  (_, thrown, code, again) => {
    const error = toPostgresError(thrown, "unchanged", sessionKind);
    expect(error).toMatchObject({ code, cause: thrown });
    expect(String(error)).toContain(`${thrown.message}. Nothing was changed.`);
    expect(isPassing(thrown)).toBe(again);
  },
);

test("where it is not known whether a change holds, the message says so", () => {
  expect(String(toPostgresError(failure("08006"), "unknown", sessionKind))).toMatch(
    /is unknown.*groupId/,
  );
});

test("our own errors, and mistakes in a program, stay as they are", () => {
  for (const thrown of [
    new SessionError("x", { code: "session-conflict" }),
    new TypeError("x is not a function"),
    "no error",
  ]) {
    expect(toPostgresError(thrown, "unchanged", sessionKind)).toBe(thrown);
    expect(isPassing(thrown)).toBe(false);
  }
});
