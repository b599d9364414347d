import { createId } from "../base/ids.ts";
import { termsAmong } from "./accepted-run.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { artifactLimits } from "./artifact-settings.ts";
import { refuseLateDecisions } from "./decisions.ts";
import { LargeValues } from "./large-values.ts";
import { closingEvents, type PlacedEvent, placedEvent } from "./past-events.ts";
import { RunError } from "./run-error.ts";
import type { RunInput } from "./run-input.ts";
import type { RunOptions } from "./run-options.ts";
import { whileRunning } from "./run-patience.ts";
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
  /** The run's: while it begins, no store is waited for any longer. */
  readonly signal: AbortSignal;
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
 * @throws RunError `run-not-found`, `run-finished`, `run-conflict`, `decision-refused`, what the store
 *   throws, and the signal's reason where there is a store.
 */
export function beginRun(scope: BeginningScope): Promise<BegunRun> {
  const { source } = scope;
  return source.kind === "ask" ? beginNew(source.input, scope) : takeUp(source, scope);
}

async function beginNew(input: RunInput, scope: BeginningScope): Promise<BegunRun> {
  const { options, runtime } = scope;
  const store = options.store ?? runtime.runs;
  const owner = createId("owner");
  if (store !== undefined) {
    await create(store, owner, { input, scope });
  }
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

/** A run that was given up before it was kept must not be there later, to be taken for one that goes on. */
async function create(
  store: RunStore,
  owner: string,
  { input, scope }: { readonly input: RunInput; readonly scope: BeginningScope },
): Promise<void> {
  const { signal } = scope;
  let creating: Promise<void> | undefined;
  try {
    await whileRunning(signal, () => {
      const values = largeValuesOf(scope);
      creating = values
        .input(input)
        .then((written) => store.create(newRunOf(written, scope), owner));
      return creating;
    });
  } catch (thrown) {
    if (signal.aborted) {
      creating?.then(() => store.delete(keyOf(scope))).catch(() => {}); // nobody waits for it
    }
    throw thrown;
  }
}

async function takeUp(
  { runId, decisions }: Extract<RunSource, { kind: "resume" }>,
  scope: BeginningScope,
): Promise<BegunRun> {
  const { options, runtime, agent, signal } = scope;
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
  const record = await whileRunning(signal, () => store.takeOver(key, owner, decisions));
  const [records, events] = await whileRunning(signal, () =>
    Promise.all([store.steps(key), store.events(key)]),
  );
  const values = largeValuesOf(scope);
  const steps = await Promise.all(records.map((one) => values.wholeStep(one)));
  const input = await values.wholeInput(record.input);
  const terms = termsAmong(steps);
  // One that was only accepted so far has nothing to go on from: it begins here.
  const isNew = events.length === 0 && steps.length === (terms === undefined ? 0 : 1);
  const past = isNew ? undefined : events.map(placedEvent);
  const { session } = record;
  return {
    input,
    options: {
      ...(terms?.limits === undefined ? {} : { limits: terms.limits }),
      ...options,
      ...(session === undefined ? {} : { session: { id: session, ...options.session } }),
    },
    deadline: deadlineOf(scope) ?? terms?.deadline,
    decisions: record.decisions,
    steps,
    execution: past === undefined ? 1 : 2 + past.filter(isResume).length,
    past,
    closing: past !== undefined && found.status === "running" ? closingEvents(past) : [],
    // Of one with terms nobody has read events but from its store.
    sequence: isNew && terms !== undefined ? 0 : lastSequenceOf(record, found.status),
    recorder: recorderOf(store, owner, scope),
    store,
  };
}

/** By what the execution was given. */
function deadlineOf({ options, runtime }: BeginningScope): number | undefined {
  return options.timeoutMs === undefined ? undefined : runtime.clock.now() + options.timeoutMs;
}

const isResume = ({ body }: PlacedEvent): boolean => body.kind === "run-resume";

/** The run, where it is kept: in the given store, the configured one, or this process's memory. */
async function findRun({
  id,
  options,
  runtime,
  signal,
}: BeginningScope): Promise<{ readonly store: RunStore; readonly found: RunRecord }> {
  const { actor } = options;
  for (const store of [options.store ?? runtime.runs, runtime.suspendedRuns]) {
    const found = store && (await whileRunning(signal, () => store.get({ app: runtime.app, id })));
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
  const values = largeValuesOf(scope, undefined); // it ends with this process, as the run does
  const steps = await Promise.all((changes.steps ?? []).map((one) => values.step(one)));
  await suspendedRuns.write(keyOf(scope), owner, { ...changes, steps });
}

const keyOf = ({ id, runtime }: BeginningScope): RunKey => ({ app: runtime.app, id });

function recorderOf(store: RunStore, owner: string, scope: BeginningScope): RunRecorder {
  const { signal, runtime } = scope;
  const { clock } = runtime;
  const largeValues = largeValuesOf(scope);
  return new RunRecorder({ store, key: keyOf(scope), owner, clock, signal, largeValues });
}

/** Where what is large of the run is kept. */
function largeValuesOf(
  { id, runtime, options, signal }: BeginningScope,
  store = runtime.artifacts?.store,
): LargeValues {
  const { app, clock, artifacts } = runtime;
  const { actor } = options;
  const { timeoutMs } = artifactLimits(artifacts);
  const owner = actor === undefined ? { app } : { app, actor };
  return new LargeValues({ store, ...owner, runId: id, clock, timeoutMs, signal });
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
