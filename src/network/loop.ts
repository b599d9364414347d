import type { Assembly } from "../agent/assembly.ts";
import type { RunInput } from "../agent/run-input.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { answerText } from "./answer-text.ts";
import type { AssemblyState } from "./assembly-state.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import { invalidAssembly, type MemberEntry, type RuntimeNow, toMembers } from "./member.ts";

/** Members that are asked again and again. */
export interface LoopDefinition<Members extends readonly MemberEntry[] = readonly MemberEntry[]>
  extends AssemblyHead {
  /** Asked in order in each round; the first of a round is asked what the last one answered. */
  readonly members: Members;
  /**
   * Ends the loop: a predicate, asked after each answer, or a word that ends it when an answer has it
   * on a line of its own.
   */
  readonly until?: string | ((state: AssemblyState) => boolean | Promise<boolean>);
  /** The most rounds. Then the last answer is the answer. */
  readonly maxRounds: number;
}

/**
 * Asks its members round by round until it is enough.
 *
 * @throws ConfigurationError `invalid-definition`.
 */
export function createLoop<Output>(
  { members: entries, until, maxRounds, ...head }: LoopDefinition,
  runtimeNow: RuntimeNow,
): Assembly<Output> {
  const members = toMembers(entries, `loop "${head.name}"`);
  const place = { where: `of the loop "${head.name}"`, code: "invalid-definition" } as const;
  if (maxRounds === undefined) {
    throw invalidAssembly(
      `maxRounds of the loop "${head.name}" is missing: it says how often at most.`,
    );
  }
  checkNumbers({ maxRounds }, { maxRounds: "count" }, place);
  if (
    until !== undefined &&
    typeof until !== "function" &&
    (typeof until !== "string" || until.trim() === "")
  ) {
    throw invalidAssembly(`until of the loop "${head.name}" must be a function or a word.`);
  }
  const isEnough = (state: AssemblyState): boolean | Promise<boolean> =>
    typeof until === "function" ? until(state) : until !== undefined && saysWord(state, until);
  return defineAssembly<Output>(
    {
      ...head,
      pattern: "loop",
      async perform(work) {
        let input: RunInput = work.scope.input;
        let isOver = false;
        for (let round = 0; round < maxRounds && !isOver; round += 1) {
          for (const member of members) {
            input = answerText(await work.ask(member, { input }));
            isOver = await work.decide("until", async () => Boolean(await isEnough(work.state)));
            if (isOver) {
              break;
            }
          }
        }
        if (!isOver && until !== undefined) {
          const message = `The loop "${head.name}" ended after ${maxRounds} rounds, which is its limit.`;
          work.scope.steps.emit({ kind: "notice", code: "limit-reached", message });
        }
        const last = work.state.last?.result;
        return { text: withoutWord(last?.text ?? "", until), output: last?.output };
      },
    },
    runtimeNow,
  );
}

const saysWord = ({ last }: AssemblyState, word: string): boolean =>
  last !== undefined && linesOf(last.result.text).some((line) => isWord(line, word));

const isWord = (line: string, word: string): boolean => line.trim() === word.trim();

const linesOf = (text: string): readonly string[] => text.split("\n");

/** The word is for the loop, not for whoever asked. */
const withoutWord = (text: string, until: LoopDefinition["until"]): string =>
  typeof until === "string"
    ? linesOf(text)
        .filter((line) => !isWord(line, until))
        .join("\n")
        .trim()
    : text;
