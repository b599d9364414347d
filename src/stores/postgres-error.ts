import { DragomanError, messageOf } from "../base/dragoman-error.ts";
import type { StoreFailureCode, StoreKind } from "./store-kind.ts";

/** What a failure of Postgres means, by its SQLSTATE (appendix A of the manual). */
type Meaning =
  /** The connection or the server is gone, or coming: the same may work a little later. */
  | "gone"
  /** Postgres has undone this transaction because of another's; the same will work. */
  | "undone"
  | "locked"
  | "full"
  | "corrupt"
  | "refused";

/** Whether the same may work when it is tried again. */
export function isPassing(thrown: unknown): boolean {
  const meaning = meaningOf(thrown);
  return meaning === "gone" || meaning === "undone";
}

/**
 * What a database could not do, in our words. An error of our own stays as it is,
 * and so does a mistake in a program.
 *
 * @param outcome what became of the change that was wanted.
 */
export function toPostgresError(
  thrown: unknown,
  outcome: "unchanged" | "unknown",
  kind: StoreKind,
): unknown {
  const meaning = meaningOf(thrown);
  if (meaning === undefined || DragomanError.is(thrown)) {
    return thrown;
  }
  const { code, text } = explanations[meaning];
  const change =
    outcome === "unknown"
      ? `Whether the change was made is unknown: ${kind.ifUnknown}.`
      : "Nothing was changed.";
  return kind.error(`${text}: ${messageOf(thrown)}. ${change}`, { code, cause: thrown });
}

const explanations: Readonly<
  Record<Meaning, { readonly code: StoreFailureCode; readonly text: string }>
> = {
  gone: { code: "store-unavailable", text: "The Postgres server cannot be reached" },
  undone: { code: "store-locked", text: "Postgres gives way to other transactions all the time" },
  locked: { code: "store-locked", text: "Somebody holds the same rows in Postgres for too long" },
  full: { code: "store-full", text: "The Postgres server has no space left" },
  corrupt: { code: "store-corrupt", text: "The tables in Postgres are damaged or were changed" },
  refused: { code: "store-unavailable", text: "Postgres refuses" },
};

/** Classes and single codes; the first that fits decides. */
const meanings: readonly (readonly [string, Meaning])[] = [
  ["08", "gone"],
  ["57P", "gone"],
  ["53300", "gone"],
  ["40", "undone"],
  ["55P03", "locked"],
  ["53100", "full"],
  ["XX001", "corrupt"],
  ["XX002", "corrupt"],
  ["42P01", "corrupt"],
  ["42703", "corrupt"],
];

/** @returns `undefined` for a mistake in a program. */
function meaningOf(thrown: unknown): Meaning | undefined {
  if (!(thrown instanceof Error) || thrown instanceof TypeError) {
    return undefined;
  }
  const code = "code" in thrown ? thrown.code : undefined;
  if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && code !== "EPIPE") {
    return meanings.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "refused";
  }
  // Failures of sockets and names have a code of the system's, those of `pg` itself have none.
  const isSystemError = typeof code === "string" && /^E[A-Z_]+$/.test(code);
  return isSystemError || /connect|timeout|terminated/i.test(thrown.message) ? "gone" : "refused";
}
