import { textProblem } from "../base/text-problem.ts";
import { RunError } from "./run-error.ts";
import type { EventRange, NewRun, RunAge, RunFilter, RunKey, RunOwner } from "./run-store.ts";

/** What stores of runs take at most; anything beyond is `run-invalid`. */
export const runLimits = {
  /** Of an application's, run's, actor's, session's or agent's name: 1 to 256 UTF-16 units. */
  maxIdLength: 256,
  /** Of a page of runs. */
  maxPageSize: 1_000,
  /** Of what one step gives, in UTF-16 units of its JSON: beyond it is `step-too-large`. */
  maxStepLength: 16_777_216,
} as const;

/** @throws RunError `run-invalid`. */
export function checkRunKey({ app, id, actor }: RunKey): void {
  checkId(app, "application's name");
  checkId(id, "run's id");
  checkOptionalId(actor, "actor");
}

/** @throws RunError `run-invalid`. */
export function checkNewRun({ agent, session, ...key }: NewRun): void {
  checkRunKey(key);
  checkId(agent, "agent's name");
  checkOptionalId(session, "session's id");
}

/** @returns the size of a page. @throws RunError `run-invalid`. */
export function checkRunFilter(filter: RunFilter): number {
  const { app, actor, session, changedBefore, limit = 100 } = filter;
  checkId(app, "application's name");
  checkCount(changedBefore, "time of the last change", 0);
  checkOptionalId(actor, "actor");
  checkOptionalId(session, "session's id");
  checkCount(limit, "limit of runs", 1);
  if (limit > runLimits.maxPageSize) {
    throw invalid(`A page has at most ${runLimits.maxPageSize} runs, not ${limit}.`);
  }
  return limit;
}

/** @throws RunError `run-invalid`. */
export function checkEventRange({ after, limit }: EventRange): void {
  checkCount(after, "sequence number to read after", 0);
  checkCount(limit, "limit of events", 1);
}

/** @throws RunError `run-invalid`, also where neither an actor nor a session is named. */
export function checkRunOwner({ app, actor, session }: RunOwner): void {
  checkId(app, "application's name");
  checkOptionalId(actor, "actor");
  checkOptionalId(session, "session's id");
  if (actor === undefined && session === undefined) {
    throw invalid("Name the actor or the session whose runs are to be removed.");
  }
}

/** @throws RunError `run-invalid`. */
export function checkRunAge({ app, olderThanMs }: RunAge): void {
  checkId(app, "application's name");
  if (!(Number.isFinite(olderThanMs) && olderThanMs >= 0)) {
    throw invalid(`olderThanMs is ${olderThanMs}; it must be a number from 0 on.`);
  }
}

function checkOptionalId(value: string | undefined, what: string): void {
  if (value !== undefined) {
    checkId(value, what);
  }
}

function checkId(value: string, what: string): void {
  const problem =
    value === "" ? `The ${what} is empty.` : textProblem(value, what, runLimits.maxIdLength);
  if (problem !== undefined) {
    throw invalid(problem);
  }
}

function checkCount(value: number | undefined, what: string, least: number): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= least)) {
    throw invalid(`The ${what} is ${value}; it must be a whole number from ${least} on.`);
  }
}

const invalid = (message: string): RunError => new RunError(message, { code: "run-invalid" });
