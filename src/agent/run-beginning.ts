import { createId } from "../base/ids.ts";
import { termsAmong } from "./accepted-run.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { refuseLateDecisions } from "./decisions.ts";
import { LargeValues, withLargeValues } from "./large-values.ts";
import { closingEvents, type PlacedEvent, placedEvent } from "./past-events.ts";
import { RunError } from "./run-error.ts";
import type { RunInput } from "./run-input.ts";
import type { RunOptions } from "./run-options.ts";
import { RunRecorder } from "./run-recorder.ts";
import type { NewRun, RunChanges, RunKey, RunRecord, RunStore, StepRecord } from "./run-store.ts";
import { lastSequenceOf } from "./sequence-gap.ts";
import type { Decision } from "./waiting.ts";

/** Where a run comes from. */
export type RunSource =
  | { readonly kind: "ask"; readonly input: RunInput }
  | {
      readonly kind: "resume";
      readonly runId: string;
      readonly decisions: Readonly<Record<string, Decision>>;
    };

/** What a run is begun with. */
export interface BeginningScope {
  readonly id: string;
  /** The agent or assembly that is asked. */
  readonly agent: string;
  readonly source: RunSource;
  readonly runtime: AgentRuntime;
  readonly options: RunOptions;
}

/** A run that has begun, or was taken up again. */
export interface BegunRun {
  readonly input: RunInput;
  /** As given, with the session that the run was begun with and the limits that it was accepted with. */
  readonly options: RunOptions;
  /** When its time is over, in milliseconds since the Unix epoch. */
  readonly deadline: number | undefined;
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly steps: readonly StepRecord[];
  /** 1, and one more each time it was taken up. */
  readonly execution: number;
  /** Events of earlier executions; `undefined` where this is the first. */
  readonly past: readonly PlacedEvent[] | undefined;
  /** What closes that which the last execution left open. */
  readonly closing: readonly PlacedEvent[];
  /** The last sequence number that may have been given. */
  readonly sequence: number;
  /** Writes to the run's store; `undefined` for a run that is not kept. */
  readonly recorder: RunRecorder | undefined;
  /** The store that the run is kept in. */
  readonly store: RunStore | undefined;
}

/**
 * Records a new run where it is to be kept, or takes up one that was put aside or left behind.
 *
 * @throws RunError `run-not-found`, `run-finished`, `run-conflict`, `decision-refused`, and what the
 *   store throws.
 */
export function beginRun(scope: BeginningScope): Promise<BegunRun> {
  const { source } = scope;
  return source.kind === "ask" ? beginNew(source.input, scope) : takeUp(source, scope);
}

async function beginNew(input: RunInput, scope: BeginningScope): Promise<BegunRun> {
  const { options, runtime } = scope;
  const store = options.store ?? runtime.runs;
  const owner = createId("owner");
  await store?.create(newRunOf(input, scope), owner);
  return {
    input,
    options,
    deadline: deadlineOf(scope),
    decisions: {},
    steps: [],
    execution: 1,
    past: undefined,
    closing: [],
    sequence: 0,
    recorder: store && recorderOf(store, owner, scope),
    store,
  };
}

async function takeUp(
  { runId, decisions }: Extract<RunSource, { kind: "resume" }>,
  scope: BeginningScope,
): Promise<BegunRun> {
  const { options, runtime, agent } = scope;
  const { store, found } = await findRun(scope);
  if (found.agent !== agent) {
    throw new RunError(
      `Run ${runId} was begun by "${found.agent}", not by "${agent}". Resume it with the one that began it.`,
      { code: "step-mismatch" },
    );
  }
  refuseLateDecisions(found, decisions, runtime.clock.now());
  const owner = createId("owner");
  const key = { app: runtime.app, id: runId };
  const record = await store.takeOver(key, owner, decisions);
  const [records, events] = await Promise.all([store.steps(key), store.events(key)]);
  const steps = await withLargeValues(records, largeValuesOf(scope));
  const terms = termsAmong(steps);
  const hasBegun = terms === undefined || steps.length > 1 || events.length > 0;
  const past = events.map(placedEvent);
  const { session } = record;
  return {
    input: record.input,
    options: {
      ...(terms?.limits === undefined ? {} : { limits: terms.limits }),
      ...options,
      ...(session === undefined ? {} : { session: { id: session, ...options.session } }),
    },
    deadline: deadlineOf(scope) ?? terms?.deadline,
    decisions: record.decisions,
    steps,
    execution: hasBegun ? 2 + past.filter(({ body }) => body.kind === "run-resume").length : 1,
    past: hasBegun ? past : undefined,
    closing: found.status === "running" ? closingEvents(past) : [],
    sequence: hasBegun ? lastSequenceOf(record, found.status) : 0,
    recorder: recorderOf(store, owner, scope),
    store,
  };
}

/** By what the execution was given. */
function deadlineOf({ options, runtime }: BeginningScope): number | undefined {
  return options.timeoutMs === undefined ? undefined : runtime.clock.now() + options.timeoutMs;
}

/** The run, where it is kept: in the given store, the configured one, or this process's memory. */
async function findRun({
  id,
  options,
  runtime,
}: BeginningScope): Promise<{ readonly store: RunStore; readonly found: RunRecord }> {
  const { actor } = options;
  for (const store of [options.store ?? runtime.runs, runtime.suspendedRuns]) {
    const found = await store?.get({ app: runtime.app, id });
    // Another actor's run is as if it were not there.
    if (store !== undefined && found !== undefined && found.actor === actor) {
      return { store, found };
    }
  }
  const whose = actor === undefined ? "that belongs to no actor" : "of this actor";
  throw new RunError(
    `No run ${JSON.stringify(id)} ${whose} is kept here. Give the store that it is kept in, and the actor that it was asked for. Without a store only suspended runs are kept, until they have ended.`,
    { code: "run-not-found" },
  );
}

/** Keeps a run that stands still and was not kept so far, until it is resumed in this process. */
export async function putAside(
  begun: BegunRun,
  scope: BeginningScope,
  changes: RunChanges,
): Promise<void> {
  const { suspendedRuns } = scope.runtime;
  const owner = createId("owner");
  await suspendedRuns.create(newRunOf(begun.input, scope), owner);
  await suspendedRuns.write(keyOf(scope), owner, changes);
}

const keyOf = ({ id, runtime }: BeginningScope): RunKey => ({ app: runtime.app, id });

function recorderOf(store: RunStore, owner: string, scope: BeginningScope): RunRecorder {
  const { clock } = scope.runtime;
  const largeValues = largeValuesOf(scope);
  return new RunRecorder({ store, key: keyOf(scope), owner, clock, largeValues });
}

/** Where large values of the run's steps are kept, if artifacts have a store. */
function largeValuesOf({ id, runtime, options }: BeginningScope): LargeValues | undefined {
  const store = runtime.artifacts?.store;
  const { actor, session } = options;
  const owner = actor === undefined ? {} : { actor };
  return (
    store && new LargeValues({ store, app: runtime.app, ...owner, runId: id, session: session?.id })
  );
}

function newRunOf(input: RunInput, { id, agent, runtime, options }: BeginningScope): NewRun {
  const { actor, session } = options;
  return {
    id,
    app: runtime.app,
    agent,
    ...(actor === undefined ? {} : { actor }),
    ...(session === undefined ? {} : { session: session.id }),
    input,
  };
}
