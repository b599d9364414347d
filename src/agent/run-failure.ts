import { DragomanError, messageOf } from "../base/dragoman-error.ts";
import { RunError } from "./run-error.ts";

/** What went wrong, as plain JSON: for events, results and stores. Holds no credential. */
export type RunFailure = {
  /** Stable and kebab-case: a `DragomanError`'s code, else `internal-error`. */
  readonly code: string;
  readonly message: string;
  /** The alias of the server that it went wrong with. */
  readonly server?: string;
  /** The step of a plan that it went wrong in, from 1. */
  readonly step?: number;
  /** The tool that it went wrong with. */
  readonly tool?: string;
};

/** A server whose tools a run had to do without. */
export type FailedServer = { readonly name: string; readonly error: RunFailure };

/** The plain form of whatever was thrown. */
export function toRunFailure(thrown: unknown, server?: string): RunFailure {
  const code = DragomanError.is(thrown) ? thrown.code : "internal-error";
  const { step, tool } = RunError.is(thrown) ? thrown : {};
  return {
    code,
    message: messageOf(thrown),
    ...(server === undefined ? {} : { server }),
    ...(step === undefined ? {} : { step }),
    ...(tool === undefined ? {} : { tool }),
  };
}
