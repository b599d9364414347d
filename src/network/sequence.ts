import type { Assembly } from "../agent/assembly.ts";
import type { RunInput } from "../agent/run-input.ts";
import { answerText } from "./answer-text.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import { type MemberEntry, type RuntimeNow, toMembers } from "./member.ts";

/** Members that are asked one after the other. */
export interface SequenceDefinition<Members extends readonly MemberEntry[] = readonly MemberEntry[]>
  extends AssemblyHead {
  /** Each is asked what the one before it answered, unless its `input` says otherwise. */
  readonly members: Members;
}

/**
 * Asks its members in order; the last one's answer is the answer. One that fails ends the sequence.
 *
 * @throws ConfigurationError `invalid-definition`.
 */
export function createSequence<Output>(
  { members: entries, ...head }: SequenceDefinition,
  runtimeNow: RuntimeNow,
): Assembly<Output> {
  const members = toMembers(entries, `sequence "${head.name}"`);
  return defineAssembly<Output>(
    {
      ...head,
      pattern: "sequence",
      async perform(work) {
        let input: RunInput = work.scope.input;
        for (const member of members) {
          input = answerText(await work.ask(member, { input }));
        }
        const last = work.state.last?.result;
        return { text: last?.text ?? "", output: last?.output };
      },
    },
    runtimeNow,
  );
}
