import { DragomanError, messageOf } from "../base/dragoman-error.ts";
import type { StoreFailureCode, StoreKind } from "./store-kind.ts";

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const resultCodes = {
  busy: 5,
  locked: 6,
  corrupt: 11,
  full: 13,
  notADatabase: 26,
} as const;

/** Whether somebody else holds the database, so that the same may work a little later. */
export function isSqliteBusy(thrown: unknown): boolean {
  const code = resultCodeOf(thrown);
  return code === resultCodes.busy || code === resultCodes.locked;
}

/** What a database could not do, in our words. An error of our own stays as it is. */
export function toSqliteError(thrown: unknown, file: string, kind: StoreKind): unknown {
  if (DragomanError.is(thrown) || !(thrown instanceof Error && "code" in thrown)) {
    return thrown;
  }
  const { code, text } = explain(thrown, file);
  return kind.error(text, { code, cause: thrown });
}

function explain(
  thrown: unknown,
  file: string,
): { readonly code: StoreFailureCode; readonly text: string } {
  switch (resultCodeOf(thrown)) {
    case resultCodes.busy:
    case resultCodes.locked:
      return {
        code: "store-locked",
        text: `Another process holds the database ${file} for too long. Nothing was changed; try again.`,
      };
    case resultCodes.full:
      return {
        code: "store-full",
        text: `There is no space left for the database ${file}. Nothing was changed; free space, or allow the file more.`,
      };
    case resultCodes.corrupt:
    case resultCodes.notADatabase:
      return {
        code: "store-corrupt",
        text: `The file ${file} is damaged, or no SQLite database (${messageOf(thrown)}). Restore it, or move it away to begin anew.`,
      };
    default:
      return {
        code: "store-unavailable",
        text: `The database ${file} cannot be used: ${messageOf(thrown)}. Check that the file, its folder and its disk can be written.`,
      };
  }
}

/** The primary code: an extended one has it in its lowest byte. */
function resultCodeOf(thrown: unknown): number | undefined {
  return thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number"
    ? thrown.errcode & 0xff
    : undefined;
}
