import { createId } from "../base/ids.ts";
import { toJson } from "../base/json.ts";
import type { TraceContext } from "../base/trace-context.ts";
import type { RunLimits } from "./loop-guard.ts";
import type { NewRun, RunKey, RunStore, StepRecord } from "./run-store.ts";

/** What a run is accepted with, besides what its record says. Plain JSON. */
export interface RunTerms {
  /** The longest that it may take, in milliseconds from when it was accepted. */
  readonly timeoutMs?: number;
  /** When that is over, in milliseconds since the Unix epoch. */
  readonly deadline?: number;
  readonly limits?: RunLimits;
  /** The trace that it was asked for in. */
  readonly trace?: TraceContext;
}

/** No step has this key: the path of a participant ends with a number or an id before its slash. */
const termsKey = "accepted/terms";

/**
 * Keeps a run that nobody executes yet: whoever resumes it, in whatever process, begins it, under the
 * terms that it was accepted with.
 *
 * @throws RunError `run-conflict` where there is a run of that id, and what the store throws.
 */
export async function acceptRun(store: RunStore, run: NewRun, terms: RunTerms): Promise<void> {
  const owner = createId("owner");
  await store.create(run, owner);
  const steps: readonly StepRecord[] = [{ kind: "finished", key: termsKey, value: toJson(terms) }];
  await store.write({ app: run.app, id: run.id }, owner, { steps });
}

/** The terms among a run's steps; `undefined` for a run that was begun by whoever asked for it. */
export function termsAmong(steps: readonly StepRecord[]): RunTerms | undefined {
  const found = steps.find(({ key }) => key === termsKey);
  return found?.kind === "finished" ? (found.value as RunTerms) : undefined; // written above
}

/** The terms of a run that was accepted and has not begun; `undefined` for any other. */
export async function termsBeforeBeginning(
  store: RunStore,
  key: RunKey,
): Promise<RunTerms | undefined> {
  const steps = await store.steps(key);
  return steps.length === 1 ? termsAmong(steps) : undefined;
}
