import { messageOf } from "../base/dragoman-error.ts";
import { createId } from "../base/ids.ts";
import { type Json, toJson } from "../base/json.ts";
import type { TraceContext } from "../base/trace-context.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { Delegations } from "./delegations.ts";
import type { Answer, Participant, ParticipantScope } from "./participant.ts";
import { endParticipant, participantOperation } from "./participant-span.ts";
import { lastTrace } from "./past-events.ts";
import { RecordedSteps, type RecordedStepsOptions } from "./recorded-steps.ts";
import type { Run } from "./run.ts";
import {
  type BeginningScope,
  type BegunRun,
  beginRun,
  putAside,
  type RunSource,
} from "./run-beginning.ts";
import { budgetWithin } from "./run-budget.ts";
import { RunDraft } from "./run-draft.ts";
import { RunError } from "./run-error.ts";
import type { RunEvent, RunEventBody } from "./run-event.ts";
import { RunJournal } from "./run-journal.ts";
import { RunMemory } from "./run-memory.ts";
import type { RunOptions } from "./run-options.ts";
import { RunPublisher } from "./run-publisher.ts";
import type { RunResult } from "./run-result.ts";
import type { RunChanges } from "./run-store.ts";
import { brokenOff, failedRun, settleRun } from "./settle-run.ts";

/** What a run is made of. */
export interface HostedRunOptions {
  readonly participant: Participant;
  readonly runtime: AgentRuntime;
  readonly options: RunOptions;
  readonly source: RunSource;
  /** Whether anybody may read the events; if not, none are kept for readers. */
  readonly observed: boolean;
}

/** A run in this process: its limits, its events, what is kept of it, its end. */
export class HostedRun<Output> implements Run<Output> {
  readonly id: string;
  readonly #run: HostedRunOptions;
  readonly #beginning: BeginningScope;
  readonly #publisher: RunPublisher;
  readonly #controller = new AbortController();
  readonly #draft = new RunDraft();
  #result: Promise<RunResult<Output>> | undefined;

  constructor(run: HostedRunOptions) {
    const { source, runtime, participant, options } = run;
    this.#run = run;
    this.id = source.kind === "resume" ? source.runId : createId("run");
    const { signal } = this.#controller;
    this.#beginning = { id: this.id, agent: participant.name, source, runtime, options, signal };
    this.#publisher = new RunPublisher(this.id, runtime.clock, run.observed);
  }

  get result(): Promise<RunResult<Output>> {
    this.#result ??= this.#start();
    return this.#result;
  }

  cancel(reason: unknown = "cancelled"): void {
    this.#controller.abort(reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    this.#result ??= this.#start();
    yield* this.#publisher;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#result !== undefined) {
      this.cancel("disposed");
      await this.#result;
    }
  }

  /** See {@link leaveUnread}. */
  leaveUnread(): void {
    this.#publisher.forget();
  }

  async #start(): Promise<RunResult<Output>> {
    const { runtime, participant, options } = this.#run;
    const { session, trace } = options;
    const facts = { runId: this.id, session: session?.id, isNested: false };
    const span = runtime.tracer?.start(participantOperation(participant, facts), trace);
    const result = await (span === undefined ? this.#begin() : span.run(() => this.#begin(span)));
    endParticipant(span, result);
    return result;
  }

  async #begin(span?: ActiveSpan): Promise<RunResult<Output>> {
    const { activeRuns } = this.#run.runtime;
    const release = this.#startLimits();
    try {
      if (activeRuns.has(this.id)) {
        throw new RunError(`Run ${this.id} is being executed already.`, { code: "run-conflict" });
      }
      activeRuns.add(this.id);
      try {
        return await this.#execute(await beginRun(this.#beginning), span);
      } finally {
        activeRuns.delete(this.id);
      }
    } catch (thrown) {
      // It did not begin.
      return brokenOff(thrown, this.#draft.report(this.id), this.#controller.signal);
    } finally {
      release();
      this.#publisher.close();
    }
  }

  async #execute(begun: BegunRun, span: ActiveSpan | undefined): Promise<RunResult<Output>> {
    const journal = new RunJournal(begun.steps, (record) => begun.recorder?.step(record));
    const scope = { ...this.#scope(begun, journal), span };
    const stopTimer = this.#startDeadline(begun);
    const settled = await settleRun<Output>(this.#perform(begun, scope), scope);
    stopTimer?.();
    const end = this.#publisher.end(endOf(settled), scope.agentPath);
    const result = await this.#keep(settled, { begun, journal, end });
    // Readers are not told of an end that the result does not have.
    this.#publisher.close(result === settled ? undefined : endOf(result));
    return result;
  }

  async #perform(begun: BegunRun, scope: ParticipantScope): Promise<Answer> {
    const { participant } = this.#run;
    const { sequence, recorder, past, closing } = begun;
    const { agentPath, span } = scope;
    const trace = traceOf(span);
    this.#publisher.goOnFrom({ sequence, recorder, events: past ?? [] });
    if (past !== undefined) {
      const before = lastTrace(past);
      if (before !== undefined) {
        span?.link(before);
      }
      this.#publisher.publishAnew({ kind: "run-resume", ...trace }, agentPath);
    }
    for (const event of closing) {
      this.#publisher.publishAnew(event.body, event.agentPath, event.part);
    }
    this.#publisher.publish({ kind: "run-start", agent: participant.name, ...trace }, agentPath);
    scope.signal.throwIfAborted();
    return participant.perform(scope);
  }

  #scope(begun: BegunRun, journal: RunJournal): Omit<ParticipantScope, "span"> {
    const { participant, runtime } = this.#run;
    const { input, options, decisions, recorder } = begun;
    const { clock } = runtime;
    const { signal } = this.#controller;
    const runId = this.id;
    const agentPath = [participant.name];
    const recording: RecordedStepsOptions = {
      runId,
      signal,
      clock,
      journal,
      decisions,
      execution: begun.execution,
      marksStarts: recorder !== undefined,
      emit: (event, path, part) => this.#publisher.publish(event, path, part),
    };
    const steps = new RecordedSteps(recording, agentPath);
    const { deadline } = begun;
    const draft = this.#draft;
    const outerLevels = [runtime.global];
    // A path of its own, which no participant's name can make.
    const memory = new RunMemory(new RecordedSteps(recording, agentPath, "memory/"));
    return {
      input,
      options,
      runtime,
      runId,
      agentPath,
      steps,
      signal,
      deadline,
      outerLevels,
      narrowing: [],
      history: [],
      extraTools: [],
      values: new Map(),
      memory,
      draft,
      kept: undefined,
      tainted: false,
      session: undefined,
      budget: budgetWithin(options.limits, undefined),
      outerBudget: undefined,
      delegations: new Delegations(options.limits ?? {}, agentPath),
    };
  }

  /** Couples the run to the caller's signal and deadline. @returns what uncouples it. */
  #startLimits(): () => void {
    const { signal, timeoutMs } = this.#run.options;
    const onAbort = (): void => this.cancel(signal?.reason);
    if (signal?.aborted) {
      onAbort();
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    const stopTimer =
      timeoutMs === undefined
        ? undefined
        : this.#run.runtime.clock.startTimer(
            () => this.#controller.abort(deadlinePassed(`within ${timeoutMs} ms`)),
            timeoutMs,
          );
    return () => {
      signal?.removeEventListener("abort", onAbort);
      stopTimer?.();
    };
  }

  /** Of a run that was accepted with a deadline, which this execution only learns of when it begins. */
  #startDeadline({ deadline }: BegunRun): (() => void) | undefined {
    const { clock } = this.#run.runtime;
    return deadline === undefined || this.#run.options.timeoutMs !== undefined
      ? undefined
      : clock.startTimer(
          () => this.#controller.abort(deadlinePassed(`by ${new Date(deadline).toISOString()}`)),
          Math.max(0, deadline - clock.now()),
        );
  }

  /** @returns the result; a failure instead where it could not be recorded. */
  async #keep(result: RunResult<Output>, execution: Execution): Promise<RunResult<Output>> {
    try {
      await this.#record(result, execution);
      return result;
    } catch (thrown) {
      if (!(RunError.is(thrown) && thrown.code === "run-lost")) {
        const { logger } = this.#run.runtime;
        logger.error(`Run ${this.id} could not be recorded: ${messageOf(thrown)}`);
      }
      return result.status === "failed" || result.status === "cancelled"
        ? result
        : failedRun(thrown, result);
    }
  }

  /** Records how the run stands now. */
  async #record(result: RunResult<Output>, { begun, journal, end }: Execution): Promise<void> {
    const { suspendedRuns, app } = this.#run.runtime;
    const { recorder, store } = begun;
    const changes: RunChanges = {
      status: result.status,
      text: result.text,
      usage: result.usage,
      ...(result.status === "completed" ? outputOf(result.output) : {}),
      waitingFor: result.status === "suspended" ? result.waitingFor : [],
      ...(result.status === "failed" ? { error: result.error } : {}),
    };
    if (recorder !== undefined) {
      await recorder.conclude(changes, end);
    } else if (result.status === "suspended") {
      const events = [...this.#publisher.kept, end];
      await putAside(begun, this.#beginning, { ...changes, events, steps: journal.records });
    }
    if (store === suspendedRuns && result.status !== "suspended") {
      await store.delete({ app, id: this.id });
    }
  }
}

/**
 * Says that nobody reads the events of a run in this process any more, so that they are not held there: a
 * store has them. A run that was not made here, or that somebody has wrapped, holds them all the same.
 */
export function leaveUnread(run: Run): void {
  if (run instanceof HostedRun) {
    run.leaveUnread();
  }
}

/** What there is to keep of one execution. */
interface Execution {
  readonly begun: BegunRun;
  readonly journal: RunJournal;
  readonly end: RunEvent;
}

const deadlinePassed = (when: string): RunError =>
  new RunError(`The run did not end ${when}.`, { code: "deadline-exceeded" });

/** The event that says how a run ended, or that it stands still. */
function endOf(result: RunResult): RunEventBody {
  if (result.status === "suspended") {
    return { kind: "run-suspend", waitingFor: result.waitingFor };
  }
  const { status, text, usage } = result;
  const error = status === "failed" ? { error: result.error } : {};
  return { kind: "run-end", status, text, usage, ...error };
}

/** What readers are told of a span. */
function traceOf(span: ActiveSpan | undefined): { readonly trace?: TraceContext } {
  const trace = span?.context();
  return trace === undefined ? {} : { trace };
}

/** A typed answer may be what JSON cannot say; then it is left to those who have the result. */
function outputOf(output: unknown): { readonly output?: Json } {
  try {
    return output === undefined ? {} : { output: toJson(output) };
  } catch {
    return {};
  }
}
