import type { Assembly } from "../agent/assembly.ts";
import { createAssembly } from "../agent/create-assembly.ts";
import type { Answer, Participant, ParticipantScope } from "../agent/participant.ts";
import { taintedStep } from "../agent/participant-memory.ts";
import { sessionOf } from "../agent/run-scope.ts";
import type { RunSession } from "../agent/run-session.ts";
import { Suspension } from "../agent/suspension.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Message } from "../message/message.ts";
import { AssemblyWork } from "./assembly-work.ts";
import { invalidAssembly, type RuntimeNow } from "./member.ts";

/** What every kind of assembly is called by. */
export interface AssemblyHead {
  readonly name: string;
  /** What it is for, in a sentence: read where it is a tool of an agent, or chosen by a model. */
  readonly description?: string;
}

/** What an assembly gives: the text of its answer, and data where there is some. */
export interface AssemblyAnswer {
  readonly text: string;
  readonly output?: unknown;
}

/** What an assembly is made of, whatever its kind. */
export interface AssemblyParts extends AssemblyHead {
  /** Its kind, in a word. */
  readonly pattern: string;
  /** Does the work of one run. It reads no clock and no random number but through the scope's steps. */
  readonly perform: (work: AssemblyWork) => Promise<AssemblyAnswer>;
}

/**
 * Makes an assembly of what it does. Its session holds what was asked and answered, and is the
 * conversation that each member sees before its question.
 */
export function defineAssembly<Output>(
  { name, description, pattern, perform }: AssemblyParts,
  runtimeNow: RuntimeNow,
): Assembly<Output> {
  if (typeof name !== "string" || name === "") {
    throw invalidAssembly("An assembly needs a name, a text that is not empty.");
  }
  const participant: Participant = {
    name,
    description,
    pattern,
    async perform(scope) {
      const session = sessionOf(scope, scope);
      const history = (await session?.load(scope.steps, scope.input, scope)) ?? scope.history;
      const messages = [...history, questionOf(scope)];
      scope.draft.state.messages.push(...messages);
      scope.draft.state.tainted ||= scope.steps.recall(taintedStep).length > 0;
      const own = { ...scope, history, session: session?.bound ?? scope.session };
      try {
        return await answer(new AssemblyWork(name, own), perform, session);
      } catch (thrown) {
        if (!(thrown instanceof Suspension)) {
          await saveWhatWasAsked(session, scope);
        }
        throw thrown;
      }
    },
  };
  return createAssembly<Output>(participant, runtimeNow);
}

async function answer(
  work: AssemblyWork,
  perform: AssemblyParts["perform"],
  session: RunSession | undefined,
): Promise<Answer> {
  const { state } = work.scope.draft;
  const { text, output } = await perform(work);
  state.text = text;
  state.messages.push({ role: "assistant", content: [{ kind: "text", text }] });
  const saved = await session?.save(state.messages, work.scope);
  if (saved !== undefined) {
    work.scope.steps.emit(saved);
  }
  return { end: "stop", output };
}

async function saveWhatWasAsked(
  session: RunSession | undefined,
  scope: ParticipantScope,
): Promise<void> {
  const { draft, steps, runtime } = scope;
  try {
    const saved = await session?.save(draft.state.messages, scope);
    if (saved !== undefined) {
      steps.emit(saved);
    }
  } catch (thrown) {
    const message = `What was said could not be kept: ${messageOf(thrown)}`;
    steps.emit({ kind: "notice", code: "session-not-saved", message });
    runtime.logger.warn(message);
  }
}

const questionOf = ({ input }: ParticipantScope): Message => ({
  role: "user",
  content: typeof input === "string" ? [{ kind: "text", text: input }] : input,
});
