import { earlierOf, startTimeLimit, type TimeLimit } from "../base/time-limit.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { Message } from "../message/message.ts";
import type { Tool } from "../tool/tool.ts";
import type { Answer, OuterLevel, Participant, ParticipantScope } from "./participant.ts";
import { endedAs, endOf, type ParticipantEnd, refusalOf } from "./participant-end.ts";
import { endParticipant, participantOperation } from "./participant-span.ts";
import { budgetWithin } from "./run-budget.ts";
import { RunDraft } from "./run-draft.ts";
import { RunError } from "./run-error.ts";
import type { RunInput } from "./run-input.ts";
import type { RunOptions } from "./run-options.ts";
import type { RunResult } from "./run-result.ts";
import { failedRun, settleRun } from "./settle-run.ts";
import type { ToolLevel } from "./tool-level.ts";

/** What a participant is asked by another. */
export interface InnerQuestion {
  readonly participant: Participant;
  /** What it is called in paths. Default: its own name. */
  readonly name?: string;
  /**
   * Tells it from others of its name that are asked side by side, in whatever order. Default: how many
   * of that name were asked before it.
   */
  readonly id?: string;
  readonly input: RunInput;
  /** What is given to it alone. Actor, context and session are the run's. */
  readonly options?: InnerOptions;
  /** What the asking one says of tools and servers to whoever inherits. */
  readonly level?: OuterLevel;
  /** What is left of all that the levels say. */
  readonly narrowing?: ToolLevel;
  /** The conversation before. Default: none. */
  readonly history?: readonly Message[];
  /** What its instructions may name. Default: what the asking one's may. */
  readonly values?: ReadonlyMap<string, string>;
  /** Tools that it has besides its own. */
  readonly extraTools?: readonly Tool[];
  /** Narrower than the asking one's. Default: the same. */
  readonly signal?: AbortSignal;
  /** The operation that asks. Default: the asking participant's. */
  readonly span?: ActiveSpan | undefined;
}

/** The options of a run that may be given to one of its participants alone. */
export type InnerOptions = Pick<
  RunOptions,
  "tools" | "mcp" | "discovery" | "model" | "limits" | "timeoutMs"
>;

/**
 * Asks a participant within a run: its steps and events are the run's, under its own path. Its report
 * becomes part of the asking one's. Its end is a step: where the run is resumed it has ended, well or
 * not, and what follows from that stays true.
 *
 * @returns how it ended; never rejects because it went wrong. One that waits has the status `suspended`.
 */
export async function askWithin<Output = unknown>(
  scope: ParticipantScope,
  question: InnerQuestion,
): Promise<RunResult<Output>> {
  const { name = question.participant.name, options = {} } = question;
  const limit = startLimit(name, question.signal ?? scope.signal, options.timeoutMs, scope);
  const outerSpan = question.span ?? scope.span;
  const { runId } = scope;
  const span = outerSpan?.start(
    participantOperation(question.participant, { runId, isNested: true }),
  );
  const inner = innerScope(scope, { ...question, name, signal: limit.signal, span });
  const report = scope.draft.ask(name);
  let result: RunResult;
  try {
    result = await perform(question.participant, inner, scope);
  } finally {
    limit.stop();
  }
  report(result);
  scope.draft.state.tainted ||= inner.draft.state.tainted;
  if (result.status !== "suspended") {
    const { status, text, usage } = result;
    const error = status === "failed" ? { error: result.error } : {};
    const agent = question.participant.name;
    inner.steps.emit({ kind: "agent-end", agent, status, text, usage, ...error });
  }
  endParticipant(span, result);
  return result as RunResult<Output>; // what the participant gives is of that type
}

function innerScope(
  scope: ParticipantScope,
  question: InnerQuestion & { readonly name: string; readonly signal: AbortSignal },
): ParticipantScope {
  const { name, id, input, options = {}, level, narrowing, signal, span } = question;
  const { actor, context } = scope.options;
  const { timeoutMs, ...given } = options;
  const deadline = timeoutMs === undefined ? undefined : scope.runtime.clock.now() + timeoutMs;
  return {
    ...scope,
    input,
    options: { ...(actor === undefined ? {} : { actor }), context, ...given },
    agentPath: [...scope.agentPath, name],
    steps: scope.steps.within(name, signal, id),
    signal,
    deadline: earlierOf(scope.deadline, deadline),
    span,
    outerLevels: level === undefined ? scope.outerLevels : [...scope.outerLevels, level],
    narrowing: narrowing === undefined ? scope.narrowing : [...scope.narrowing, narrowing],
    history: question.history ?? [],
    extraTools: question.extraTools ?? [],
    values: question.values ?? scope.values,
    draft: new RunDraft(),
    tainted: scope.tainted || scope.draft.state.tainted,
    budget: budgetWithin(options.limits, scope.budget),
    outerBudget: scope.budget,
  };
}

/** The work itself, or what an earlier execution has recorded of it. */
async function perform(
  participant: Participant,
  inner: ParticipantScope,
  outer: ParticipantScope,
): Promise<RunResult> {
  const { steps, draft } = inner;
  const [end] = steps.recall<ParticipantEnd>("end");
  if (end !== undefined) {
    steps.seal(refusalOf(end, participant.name));
    draft.failedServers = end.failedServers;
  }
  steps.emit({ kind: "agent-start", agent: participant.name });
  const work = (): Promise<Answer> => participant.perform(inner);
  const result = await settleRun(inner.span === undefined ? work() : inner.span.run(work), inner);
  if (end !== undefined) {
    draft.state.tainted = end.tainted;
    return endedAs(result, end);
  }
  const now = endOf(result, draft);
  // Of one that only ends since all around it does nothing follows.
  if (now === undefined || outer.signal.aborted || steps.isSealed) {
    return result;
  }
  try {
    await steps.run("end", async () => now);
    return result;
  } catch (thrown) {
    return failedRun(thrown, result);
  }
}

/** The participant's own time, within that of whoever asks it. */
const startLimit = (
  name: string,
  signal: AbortSignal,
  timeoutMs: number | undefined,
  { runtime }: ParticipantScope,
): TimeLimit =>
  startTimeLimit(runtime.clock, signal, timeoutMs, () => {
    const message = `"${name}" did not end within ${timeoutMs} ms.`;
    return new RunError(message, { code: "deadline-exceeded" });
  });
