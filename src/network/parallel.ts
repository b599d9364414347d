import type { Assembly } from "../agent/assembly.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunFailure } from "../agent/run-failure.ts";
import type { CompletedRun, RunResult } from "../agent/run-result.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { answerText } from "./answer-text.ts";
import type { AssemblyWork } from "./assembly-work.ts";
import { type AssemblyHead, defineAssembly } from "./define-assembly.ts";
import {
  invalidAssembly,
  type Member,
  type MemberEntry,
  type RuntimeNow,
  toMembers,
} from "./member.ts";
import { askSideBySide, type SideOptions } from "./side-by-side.ts";

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
  const place = { where: `of "${head.name}"`, code: "invalid-definition" } as const;
  checkNumbers({ concurrency }, { concurrency: "count" }, place);
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
  options: SideOptions,
): Promise<readonly RunResult[]> {
  const { input } = work.scope;
  const questions = members.map((member) => ({ member, turn: { input } }));
  const results = await askSideBySide(questions, work, options);
  const failures = results.flatMap((result, index) =>
    result.status === "failed" ? [{ name: members[index]?.name, result }] : [],
  );
  if (results.every(({ status }) => status !== "completed")) {
    const why = failures.map(({ name, result }) => `"${name}" failed: ${result.error.message}`);
    throw new RunError(
      `No member of "${work.scope.agentPath.at(-1)}" has an answer. ${why.join(" ")}`,
      { code: "participant-failed", cause: failures[0]?.result.cause },
    );
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
