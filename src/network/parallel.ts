import type { Assembly } from "../agent/assembly.ts";
import type { RunFailure } from "../agent/run-failure.ts";
import type { CompletedRun, RunResult } from "../agent/run-result.ts";
import { interruptionOf, Suspension } from "../agent/suspension.ts";
import { settleInOrder } from "../base/settle-in-order.ts";
import { type AssemblyWork, answerText } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import {
  invalidAssembly,
  type Member,
  type MemberEntry,
  type RuntimeNow,
  toMembers,
} from "./member.ts";

/** Members that are asked side by side. */
export interface ParallelDefinition extends AssemblyHead {
  /** Each is asked what the assembly was asked, unless its `input` says otherwise. */
  readonly members: readonly MemberEntry[];
  /** How many are asked at once. Default: all. */
  readonly concurrency?: number;
  /**
   * What the failure of one means: `"fail-fast"` (the default) cancels the others and fails the
   * assembly; `"collect"` lets them end, and the assembly completes with what there is, unless none
   * has an answer.
   */
  readonly onFailure?: "fail-fast" | "collect";
}

/** What a parallel assembly gives as its output: each member's answer or failure, by its name. */
export type ParallelOutput = Readonly<
  Record<
    string,
    | { readonly status: "completed"; readonly text: string; readonly output?: unknown }
    | { readonly status: "failed"; readonly error: RunFailure }
  >
>;

/**
 * Asks its members side by side. The text of the answer has one section for each, in their order.
 *
 * @throws ConfigurationError `invalid-definition`.
 */
export function createParallel(
  definition: ParallelDefinition,
  runtimeNow: RuntimeNow,
): Assembly<ParallelOutput> {
  const { members: entries, concurrency, onFailure = "fail-fast", ...head } = definition;
  const members = toMembers(entries, `parallel assembly "${head.name}"`);
  const most = concurrency ?? members.length;
  if (!Number.isInteger(most) || most < 1) {
    throw invalidAssembly(
      `concurrency of "${head.name}" is ${most}; it must be a whole number above 0.`,
    );
  }
  if (onFailure !== "fail-fast" && onFailure !== "collect") {
    throw invalidAssembly(`onFailure of "${head.name}" must be "fail-fast" or "collect".`);
  }
  return defineAssembly<ParallelOutput>(
    {
      ...head,
      pattern: "parallel",
      async perform(work) {
        const results = await askAll(members, work, { most, failsFast: onFailure === "fail-fast" });
        return { text: textOf(members, results), output: outputOf(members, results) };
      },
    },
    runtimeNow,
  );
}

async function askAll(
  members: readonly Member[],
  work: AssemblyWork,
  { most, failsFast }: { readonly most: number; readonly failsFast: boolean },
): Promise<readonly RunResult[]> {
  const { input, signal: outer } = work.scope;
  const stopping = new AbortController();
  const signal = AbortSignal.any([outer, stopping.signal]);
  let first: { readonly reason: unknown } | undefined;
  const askOne = async (member: Member): Promise<RunResult> => {
    const turn = { input, signal };
    if (!failsFast) {
      const result = await work.tryToAsk(member, turn);
      if (result.status === "suspended") {
        throw new Suspension(result.waitingFor);
      }
      return result;
    }
    try {
      signal.throwIfAborted();
      return await work.ask(member, turn);
    } catch (reason) {
      if (!(reason instanceof Suspension)) {
        first ??= { reason };
        stopping.abort(`another member of "${work.scope.agentPath.at(-1)}" failed`);
      }
      throw reason;
    }
  };
  const settled = await settleInOrder(members, most, askOne);
  outer.throwIfAborted();
  const interruption = first ?? interruptionOf(settled);
  if (interruption !== undefined) {
    throw interruption.reason;
  }
  const results = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failure = results.find(({ status }) => status === "failed");
  if (failure?.status === "failed" && results.every(({ status }) => status !== "completed")) {
    throw failure.cause;
  }
  return results;
}

function textOf(members: readonly Member[], results: readonly RunResult[]): string {
  return members
    .map(({ name }, index) => {
      const result = results[index];
      const text =
        result?.status === "completed"
          ? answerText(result)
          : `(failed: ${failureOf(result).message})`;
      return `## ${name}\n\n${text}`;
    })
    .join("\n\n");
}

function outputOf(members: readonly Member[], results: readonly RunResult[]): ParallelOutput {
  return Object.fromEntries(
    members.map(({ name }, index) => {
      const result = results[index];
      return result?.status === "completed"
        ? [name, completed(result)]
        : [name, { status: "failed", error: failureOf(result) }];
    }),
  );
}

const completed = ({ text, output }: CompletedRun): ParallelOutput[string] => ({
  status: "completed",
  text,
  ...(output === undefined ? {} : { output }),
});

const failureOf = (result: RunResult | undefined): RunFailure =>
  result?.status === "failed" ? result.error : { code: "cancelled", message: "It was stopped." };
