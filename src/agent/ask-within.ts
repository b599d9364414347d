import type { ActiveSpan } from "../base/tracing.ts";
import type { Message } from "../message/message.ts";
import type { Tool } from "../tool/tool.ts";
import type { Answer, OuterLevel, Participant, ParticipantScope } from "./participant.ts";
import { endParticipant, participantOperation } from "./participant-span.ts";
import { RunDraft } from "./run-draft.ts";
import type { RunInput, RunOptions } from "./run-options.ts";
import type { RunResult } from "./run-result.ts";
import { settleRun } from "./settle-run.ts";
import type { ToolLevel } from "./wanted-tools.ts";

/** What a participant is asked by another. */
export interface InnerQuestion {
  readonly participant: Participant;
  /** What it is called in paths. Default: its own name. */
  readonly name?: string;
  readonly input: RunInput;
  /** What is given to it alone. Actor and context are the run's; a session is not passed on. */
  readonly options?: Pick<RunOptions, "tools" | "mcp" | "model" | "limits">;
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

/**
 * Asks a participant within a run: its steps and events are the run's, under its own path. Its report
 * becomes part of the asking one's.
 *
 * @returns how it ended; never rejects because it went wrong. One that waits has the status `suspended`.
 */
export async function askWithin<Output = unknown>(
  scope: ParticipantScope,
  question: InnerQuestion,
): Promise<RunResult<Output>> {
  const { participant, input, options = {}, level, narrowing, signal = scope.signal } = question;
  const outer = question.span ?? scope.span;
  const span = outer?.start(
    participantOperation(participant, { runId: scope.runId, isNested: true }),
  );
  const name = question.name ?? participant.name;
  const { actor, context } = scope.options;
  const draft = new RunDraft();
  const inner: ParticipantScope = {
    ...scope,
    input,
    options: { ...(actor === undefined ? {} : { actor }), context, ...options },
    agentPath: [...scope.agentPath, name],
    steps: scope.steps.within(name, signal),
    signal,
    span,
    outerLevels: level === undefined ? scope.outerLevels : [...scope.outerLevels, level],
    narrowing: narrowing === undefined ? scope.narrowing : [...scope.narrowing, narrowing],
    history: question.history ?? [],
    extraTools: question.extraTools ?? [],
    values: question.values ?? scope.values,
    draft,
    tainted: scope.tainted || scope.draft.state.tainted,
  };
  inner.steps.emit({ kind: "agent-start", agent: participant.name });
  const perform = (): Promise<Answer> => participant.perform(inner);
  const work = span === undefined ? perform() : span.run(perform);
  const result = await settleRun<Output>(work, inner);
  scope.draft.add({ name, result });
  scope.draft.state.tainted ||= draft.state.tainted;
  if (result.status !== "suspended") {
    const { status, text, usage } = result;
    const error = status === "failed" ? { error: result.error } : {};
    inner.steps.emit({ kind: "agent-end", agent: participant.name, status, text, usage, ...error });
  }
  endParticipant(span, result);
  return result;
}
