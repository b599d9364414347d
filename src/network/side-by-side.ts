import type { RunResult } from "../agent/run-result.ts";
import { interruptionOf, Suspension } from "../agent/suspension.ts";
import { settleInOrder } from "../base/settle-in-order.ts";
import type { AssemblyWork, Turn } from "./assembly-work.ts";
import type { Member } from "./member.ts";

/** One of several questions that are asked side by side. */
export interface SideQuestion {
  readonly member: Member;
  readonly turn: Turn;
}

/** How several are asked side by side. */
export interface SideOptions {
  /** How many at once. */
  readonly most: number;
  /** Whether the failure of one cancels the others. */
  readonly failsFast: boolean;
}

/**
 * Asks members side by side. Their answers are kept, in the order of the questions, once all have
 * settled: what one is asked never depends on how fast another was.
 *
 * @returns one for each question, in their order; only such as are completed where one failure is enough.
 * @throws Suspension where some wait, once the others have settled; the signal's reason; RunError
 *   `participant-failed`, `limit-reached`, `hook-failed`.
 */
export async function askSideBySide(
  questions: readonly SideQuestion[],
  work: AssemblyWork,
  { most, failsFast }: SideOptions,
): Promise<readonly RunResult[]> {
  const { signal: outer } = work.scope;
  const stopping = new AbortController();
  const signal = AbortSignal.any([outer, stopping.signal]);
  let first: { readonly reason: unknown } | undefined;
  const askOne = async ({ member, turn }: SideQuestion): Promise<RunResult> => {
    try {
      signal.throwIfAborted();
      const result = await work.outcomeOf(member, { ...turn, signal });
      if (result.status === "suspended") {
        throw new Suspension(result.waitingFor);
      }
      return failsFast ? work.answerOf(member, result) : result;
    } catch (reason) {
      if (!(reason instanceof Suspension)) {
        first ??= { reason };
        stopping.abort(`another member of "${work.scope.agentPath.at(-1)}" failed`);
      }
      throw reason;
    }
  };
  const settled = await settleInOrder(questions, most, askOne);
  outer.throwIfAborted();
  const interruption = first ?? interruptionOf(settled);
  if (interruption !== undefined) {
    throw interruption.reason;
  }
  const results = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  for (const [index, result] of results.entries()) {
    const member = questions[index]?.member;
    if (member !== undefined && result.status === "completed") {
      work.keep(member, result);
    }
  }
  return results;
}
